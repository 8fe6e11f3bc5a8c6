#pragma once

#include <string_view>

namespace fovea::programs {

/// The size of an axis of the input of that name, of the model M; `otherwise` where there is no such axis of a number.
template <class M>
consteval int input_axis(std::string_view name, int axis, int otherwise) {
  if constexpr (M::well_formed) {
    for (const auto& input : M::view.inputs)
      if (name == input.name) {
        const auto& shape = M::view.at(input.node).shape;
        if (axis < shape.rank && M::view.is_number(shape[axis]))
          return static_cast<int>(M::view.number(shape[axis]));
      }
  }
  return otherwise;
}

} // namespace fovea::programs
