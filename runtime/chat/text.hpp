#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fovea::core::jinja {

/// What Python's str.isspace says.
bool is_space(std::uint32_t point);

struct sides {
  bool left = true, right = true;
};
/// Without the white space, or the characters of `of`, at its ends.
std::string_view stripped(std::string_view text, sides where = {}, std::optional<std::string_view> of = {});

} // namespace fovea::core::jinja
