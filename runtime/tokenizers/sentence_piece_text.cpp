#include <fovea/runtime/tokenizers/sentence_piece_text.hpp>

#include <fovea/base/utf8.hpp>

namespace fovea::core {

/// What stands for the front of a text, and how many bytes of it that is.
std::pair<std::string_view, std::size_t> sentence_piece_text::next(std::string_view text) const {
  if (const std::size_t length = whole.longest(text).second; length > 0)
    return {text.substr(0, length), length};
  if (replacements)
    if (const auto found = replacements->longest(text)) return *found;
  const std::size_t length = code_point_at(text, 0).bytes;
  return {text.substr(0, length), length};
}

void sentence_piece_text::append(std::string_view text, std::string& result, std::size_t most) const {
  constexpr std::string_view mark = "\u2581";
  const std::string_view space = escape_whitespaces ? mark : " ";
  while (remove_extra_whitespaces && !text.empty()) {
    const auto [made, length] = next(text);
    if (made != " ") break;
    text.remove_prefix(length);
  }
  if (text.empty()) return;
  const std::size_t begin = result.size();
  if (add_dummy_prefix && !dummy_behind) result += space;
  bool after_space = remove_extra_whitespaces;
  while (!text.empty() && result.size() <= most) {
    auto [made, length] = next(text);
    text.remove_prefix(length);
    while (after_space && made.starts_with(' ')) made.remove_prefix(1);
    for (const char c : made)
      if (c == ' ')
        result += space;
      else
        result += c;
    if (!made.empty()) after_space = remove_extra_whitespaces && made.ends_with(' ');
  }
  while (remove_extra_whitespaces && std::string_view(result).substr(begin).ends_with(space))
    result.erase(result.size() - space.size());
  if (add_dummy_prefix && dummy_behind) result += space;
}

} // namespace fovea::core
