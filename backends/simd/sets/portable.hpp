#pragma once

#include <fovea/backends/simd/sets/of_compiler.hpp>

namespace fovea::core::simd {

/// Any processor.
struct portable : of_compiler<portable> {
  using narrower = portable;
  static constexpr size_t registers = 16;
};

} // namespace fovea::core::simd
