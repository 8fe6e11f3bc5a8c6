#pragma once

// The gradients of layer norm and RMS norm over rows (see norm_gradient_args in arguments.hpp), each row read
// from memory once.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fovea::core::simd {

template <class Arch>
inline size_t norm_gradient_tasks(const norm_gradient_args& a) {
  return (a.rows + a.part - 1) / a.part;
}

namespace detail {

/// With z = x - mean, or x, r = 1 / sqrt(mean(z^2) + epsilon) and e = d weight:
/// out = r (e - mean(e) - z r^2 mean(e z)), without mean(e) where nothing is centred; d z r and d are added
/// to the sums.
template <class Arch, bool centred>
inline void norm_gradient_row(const norm_gradient_args& a, const float* x, const float* d, float* out,
                              float* of_weight, float* of_bias) {
  using v = vec<Arch>;
  const float count = static_cast<float>(a.width);
  v origin(0.0f), mean(0.0f);
  if constexpr (centred) { // from the first element on, as layer_norm itself
    origin = v(x[0]);
    mean = v(sum_over<Arch>(x, a.width, [&](const v& y) { return y - origin; }) / count);
  }
  const auto from_mean = [&](size_t i, auto lanes) {
    const v y = lanes.load(x + i);
    return centred ? (y - origin) - mean : y;
  };
  const auto weighted = [&](size_t i, auto lanes) {
    const v g = lanes.load(d + i);
    return a.weight != nullptr ? g * lanes.load(a.weight + i) : g;
  };
  v squares(0.0f), total(0.0f), products(0.0f);
  for_vectors<Arch>(a.width, [&](size_t i, auto lanes) {
    const v z = lanes.filled(from_mean(i, lanes), 0.0f), e = weighted(i, lanes);
    squares = Arch::fma(z, z, squares);
    products = Arch::fma(e, z, products);
    if constexpr (centred) total += lanes.filled(e, 0.0f);
  });
  const float r = 1.0f / std::sqrt(reduce_add<Arch>(squares) / count + a.epsilon);
  const v scale(r), across(centred ? reduce_add<Arch>(total) / count : 0.0f),
      along(r * r * (reduce_add<Arch>(products) / count));
  for_vectors<Arch>(a.width, [&](size_t i, auto lanes) {
    const v z = from_mean(i, lanes), g = lanes.load(d + i);
    lanes.store(out + i, ((weighted(i, lanes) - across) - z * along) * scale);
    lanes.store(of_weight + i, Arch::fma(g, z * scale, lanes.load(of_weight + i)));
    lanes.store(of_bias + i, lanes.load(of_bias + i) + g);
  });
}

} // namespace detail

template <class Arch, bool centred>
void norm_gradient(const norm_gradient_args& a, size_t first, size_t last) {
  for (size_t task = first; task < last; ++task) {
    float *of_weight = a.sums + task * 2 * a.width, *of_bias = of_weight + a.width;
    std::fill_n(of_weight, 2 * a.width, 0.0f);
    const size_t end = std::min(a.rows, (task + 1) * a.part);
    for (size_t row = task * a.part; row < end; ++row)
      detail::norm_gradient_row<Arch, centred>(a, a.x + row * a.width, a.d + row * a.width,
                                               a.out + row * a.width, of_weight, of_bias);
  }
}

} // namespace fovea::core::simd
