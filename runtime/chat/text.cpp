#include <fovea/runtime/chat/text.hpp>

#include <fovea/base/utf8.hpp>

namespace fovea::core::jinja {

bool is_space(std::uint32_t point) { return is_white_space(point) || (point >= 0x1c && point <= 0x1f); }

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
