#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core::jinja {

struct token {
  enum class kind {
    data,         // what stands outside of tags, as it is to be printed
    begin_output, // {{
    end_output,   // }}
    begin_block,  // {%
    end_block,    // %}
    name,
    text, // without its quotation marks and escapes
    integer,
    real,
    symbol, // an operator or a bracket
    end
  };
  kind what;
  std::string text;
  std::size_t line;
};

/// The tokens of a template, the last of which is `end`. White space around tags goes as transformers has jinja2 do
/// it: trim_blocks and lstrip_blocks are set, keep_trailing_newline is not. Throws fovea::error that begins with
/// `name` and the line.
std::vector<token> tokens_of(std::string_view text, const std::string& name);

/// A token as messages show it.
std::string shown(const token& one);

} // namespace fovea::core::jinja
