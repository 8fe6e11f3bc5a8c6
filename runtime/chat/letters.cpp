#include <fovea/runtime/chat/letters.hpp>

#include <fovea/base/utf8.hpp>
#include <fovea/runtime/chat/text.hpp>

#include <utf8proc.h>

namespace fovea::core::jinja {
namespace {

std::uint32_t upper_of(std::uint32_t point) {
  return static_cast<std::uint32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(point)));
}
std::uint32_t lower_of(std::uint32_t point) {
  return static_cast<std::uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
}

/// Each code point as `made` has it of itself and the one before, 0 before the first.
template <class function>
std::string mapped(std::string_view text, function made) {
  std::string result;
  std::uint32_t before = 0;
  for (std::size_t at = 0; at < text.size(); at += code_point_at(text, at).bytes) {
    const std::uint32_t point = code_point_at(text, at).value;
    append_utf8(result, made(point, before));
    before = point;
  }
  return result;
}

} // namespace

std::string upper(std::string_view text) {
  return mapped(text, [](std::uint32_t point, std::uint32_t) { return upper_of(point); });
}
std::string lower(std::string_view text) {
  return mapped(text, [](std::uint32_t point, std::uint32_t) { return lower_of(point); });
}
std::string capitalized(std::string_view text) {
  return mapped(text, [](std::uint32_t point, std::uint32_t before) {
    return before == 0 ? upper_of(point) : lower_of(point);
  });
}
std::string title(std::string_view text) {
  return mapped(text, [](std::uint32_t point, std::uint32_t before) {
    return is_letter(before) ? lower_of(point) : upper_of(point);
  });
}
std::string title_of_words(std::string_view text) {
  return mapped(text, [](std::uint32_t point, std::uint32_t before) {
    const bool begins = before == 0 || is_space(before) ||
                        (before < 0x80 &&
                         std::string_view("-({[<").find(static_cast<char>(before)) != std::string_view::npos);
    return begins ? upper_of(point) : lower_of(point);
  });
}
bool is_decimal(std::uint32_t point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(point)) == UTF8PROC_CATEGORY_ND;
}

} // namespace fovea::core::jinja
