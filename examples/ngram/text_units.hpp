#pragma once

#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/ngram/counts.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ngram_program {

/// What a text is counted in: words between white space, or characters.
enum class unit { word, character };

/// The lines of a file that hold more than white space. Throws fovea::error that names the file where it
/// can't be read, is not UTF-8, or has no such line.
std::vector<std::string> lines_of(const std::filesystem::path& path);

/// The units of a line; of characters, one space stands for any white space between words.
std::vector<std::string> units_of(std::string_view line, unit of);

/// The units of a training text as ids, <s>, </s> and <unk> before them in the order in which they occur.
class text_units {
public:
  static constexpr fovea::token_id start = 0, end = 1, unknown = 2;

  /// Units that occur less than `least` times are unknown.
  text_units(std::span<const std::string> lines, unit of, std::size_t least);

  fovea::ngram_config config(int order) const {
    return {
        .order = order, .vocabulary = static_cast<fovea::token_id>(ids_.size()), .start = start, .end = end};
  }
  fovea::token_ids ids(std::string_view line) const;
  /// The line that such ids came from, without <s> and </s>.
  std::string text(std::span<const fovea::token_id> ids) const;

private:
  unit of_;
  fovea::token_vocabulary ids_;
};

} // namespace ngram_program
