#include "trimmed.hpp"

#include <fovea/base/utf8.hpp>

namespace fovea::programs {

std::string trimmed(std::string_view text) {
  while (!text.empty()) {
    const core::code_point first = core::code_point_at(text, 0);
    if (!core::is_white_space(first.value)) break;
    text.remove_prefix(first.bytes);
  }
  while (!text.empty()) {
    const std::size_t last = core::last_code_point(text);
    if (!core::is_white_space(core::code_point_at(text, last).value)) break;
    text = text.substr(0, last);
  }
  return std::string(text);
}

} // namespace fovea::programs
