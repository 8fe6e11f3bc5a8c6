#pragma once

#include <fovea/runtime/tokenizers/bert_text.hpp>
#include <fovea/runtime/tokenizers/precompiled_map.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fovea {

// What a text goes through before it is cut into words, as Hugging Face tokenizers define it.

enum class unicode_form { nfc, nfd, nfkc, nfkd };
struct lower_case {};    // code point by code point
struct strip_accents {}; // without marks of any kind
struct strip_space {     // white space at the ends
  bool left, right;
};
struct prepend { // not to an empty text
  std::string text;
};
struct replace_text {
  std::string from, to;
};

/// Two spaces and more become one text, as T5's normaliser writes it.
struct replace_space_runs {
  std::string to;
};

using normalizer_step = std::variant<bert_normalizer, unicode_form, lower_case, strip_accents, strip_space,
                                     prepend, replace_text, replace_space_runs, precompiled_map>;
using normalizer = std::vector<normalizer_step>;

/// The text, valid UTF-8, after all steps in order.
std::string normalized(const normalizer& steps, std::string_view text);

} // namespace fovea
