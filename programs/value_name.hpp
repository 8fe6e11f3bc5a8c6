#pragma once

#include <fovea/fovea.hpp>

#include <cstddef>
#include <string_view>

namespace fovea::programs {

/// The name of a model's input or output, as a key has it.
template <const core::named_value& value>
inline constexpr auto name_of = []() consteval {
  constexpr std::size_t length = std::string_view(value.name).size();
  char text[length + 1] = {};
  for (std::size_t i = 0; i < length; ++i) text[i] = value.name[i];
  return core::fixed_name<length + 1>(text);
}
();

} // namespace fovea::programs
