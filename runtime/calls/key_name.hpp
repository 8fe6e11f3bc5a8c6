#pragma once

#include <cstddef>
#include <string_view>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/runtime/calls/keys.hpp>

namespace fovea::core {

/// The name of input or output i of a graph, as a key has it.
template <class graph, bool input, std::size_t i>
inline constexpr auto key_name = []() consteval {
  constexpr const char* text = (input ? graph::view.inputs : graph::view.outputs)[i].name;
  constexpr std::size_t length = std::string_view(text).size();
  char copied[length + 1] = {};
  for (std::size_t k = 0; k < length; ++k) copied[k] = text[k];
  return fixed_name<length + 1>(copied);
}
();

} // namespace fovea::core
