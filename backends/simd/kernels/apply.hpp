#pragma once

// One function of math.hpp over an array.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/math.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

#include <cstddef>

namespace fovea::core::simd {

namespace detail {

template <class Arch, class F>
inline void map_row(const float* x, float* out, size_t count, const F& f) {
  for_vectors<Arch>(count, [&](size_t i, auto lanes) { lanes.store(out + i, f(lanes.load(x + i))); });
}

} // namespace detail

/// out[i] = f(x[i]); out may be x.
template <class Arch>
inline void apply(unary f, const float* x, float* out, size_t count) {
  using v = vec<Arch>;
  using detail::map_row;
  switch (f) {
    case unary::relu:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::relu<Arch>(y); });
    case unary::gelu:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::gelu<Arch>(y); });
    case unary::gelu_tanh:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::gelu_tanh<Arch>(y); });
    case unary::silu:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::silu<Arch>(y); });
    case unary::sigmoid:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::sigmoid<Arch>(y); });
    case unary::tanh:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::tanh<Arch>(y); });
    case unary::softplus:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::softplus<Arch>(y); });
    case unary::exp:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::exp<Arch>(y); });
    case unary::log:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::log<Arch>(y); });
    case unary::erf:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::erf<Arch>(y); });
    case unary::sin:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::sin<Arch>(y); });
    case unary::cos:
      return map_row<Arch>(x, out, count, [](const v& y) { return math::cos<Arch>(y); });
  }
}

/// out[i] = x[i]^y[i]; out may be x or y.
template <class Arch>
inline void power(const float* x, const float* y, float* out, size_t count) {
  detail::for_vectors<Arch>(count, [&](size_t i, auto lanes) {
    lanes.store(out + i, math::pow<Arch>(lanes.load(x + i), lanes.load(y + i)));
  });
}

} // namespace fovea::core::simd
