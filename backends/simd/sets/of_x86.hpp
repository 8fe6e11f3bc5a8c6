#pragma once

#include <fovea/backends/simd/sets/of_xsimd.hpp>

namespace fovea::core::simd {

/// What sets of x86-64 share.
template <class Set, class Arch>
struct of_x86 : of_xsimd<Set, Arch> {
  template <class Vector>
  [[gnu::always_inline]] static Vector in_register(const Vector& x) {
    auto data = x.data;
    asm("" : "+v"(data));
    return Vector(data);
  }
};

} // namespace fovea::core::simd
