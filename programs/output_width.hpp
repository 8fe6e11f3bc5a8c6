#pragma once

#include <cstddef>
#include <string_view>

namespace fovea::programs {

/// The size of the last axis of the output of that name, of the model M.
template <class M>
consteval std::size_t output_width(std::string_view name) {
  for (const auto& output : M::view.outputs)
    if (name == output.name)
      return static_cast<std::size_t>(M::view.number(M::view.at(output.node).shape[-1]));
  throw "the model has no such output";
}

} // namespace fovea::programs
