#include "text_parts.hpp"

#include <fovea/base/utf8.hpp>

namespace train_tokenizer {

std::vector<std::string_view> parts_of(std::string_view text, std::size_t size) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string_view::npos; ++at) {
    const bool word_follows =
        at + 1 < text.size() && !fovea::core::is_white_space(fovea::core::code_point_at(text, at + 1).value);
    if (at - begin < size || !word_follows) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at;
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, bytes] = fovea::core::code_point_at(text, at);
    const bool space = fovea::core::is_white_space(value);
    if (!space && !in_word) ++count;
    in_word = !space;
    at += bytes;
  }
  return count;
}

} // namespace train_tokenizer
