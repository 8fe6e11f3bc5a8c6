#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fovea::core::jinja {

/// What Python's str.isspace says.
bool is_space(std::uint32_t point);

std::size_t characters_of(std::string_view text);
/// The byte at which a character begins; behind the last where there are not as many.
std::size_t byte_at(std::string_view text, std::size_t character);

struct sides {
  bool left = true, right = true;
};
/// Without the white space, or the characters of `of`, at its ends.
std::string_view stripped(std::string_view text, sides where = {}, std::optional<std::string_view> of = {});

} // namespace fovea::core::jinja
