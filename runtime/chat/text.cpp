#include <fovea/runtime/chat/text.hpp>

#include <fovea/base/utf8.hpp>

#include <algorithm>

namespace fovea::core::jinja {

bool is_space(std::uint32_t point) { return is_white_space(point) || (point >= 0x1c && point <= 0x1f); }

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return !continues_code_point(byte); }));
}

std::size_t byte_at(std::string_view text, std::size_t character) {
  std::size_t at = 0;
  for (; character > 0 && at < text.size(); --character) at += code_point_at(text, at).bytes;
  return at;
}

std::string_view stripped(std::string_view text, sides where, std::optional<std::string_view> of) {
  const auto goes = [&](std::size_t at) {
    const code_point point = code_point_at(text, at);
    return of ? of->find(text.substr(at, point.bytes)) != std::string_view::npos : is_space(point.value);
  };
  while (where.left && !text.empty() && goes(0)) text.remove_prefix(code_point_at(text, 0).bytes);
  while (where.right && !text.empty() && goes(last_code_point(text)))
    text.remove_suffix(text.size() - last_code_point(text));
  return text;
}

} // namespace fovea::core::jinja
