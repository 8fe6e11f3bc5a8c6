#pragma once

// Layer norm and RMS norm over rows (see norm_args in arguments.hpp).

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>

#include <cmath>
#include <cstddef>

namespace fovea::core::simd {

namespace detail {

/// Rows in a task.
inline constexpr size_t norm_rows = 8;

/// out = centred(x) * scale * weight + bias, weight and bias where given.
template <class Arch, class Centred>
inline void write_normalised(const norm_args& a, const float* x, float* out, float scale,
                             const Centred& centred) {
  using v = vec<Arch>;
  const v factor(scale);
  for_vectors<Arch>(a.width, [&](size_t i, auto lanes) {
    v y = centred(lanes.load(x + i)) * factor;
    if (a.weight != nullptr && a.bias != nullptr)
      y = Arch::fma(y, lanes.load(a.weight + i), lanes.load(a.bias + i));
    else if (a.weight != nullptr)
      y = y * lanes.load(a.weight + i);
    else if (a.bias != nullptr)
      y = y + lanes.load(a.bias + i);
    lanes.store(out + i, y);
  });
}

template <class Arch, class F>
inline void for_norm_rows(const norm_args& a, size_t first, size_t last, const F& f) {
  const size_t until = last * norm_rows < a.rows ? last * norm_rows : a.rows;
  for (size_t row = first * norm_rows; row < until; ++row) f(a.x + row * a.width, a.out + row * a.width);
}

} // namespace detail

template <class Arch>
inline size_t norm_tasks(const norm_args& a) {
  return (a.rows + detail::norm_rows - 1) / detail::norm_rows;
}

/// The mean first, then the variance of the differences from it. Both start from the differences x - x[0],
/// which are exact where an offset is large beside the spread: no float next to such a mean would be near
/// enough to it.
template <class Arch>
inline void layer_norm(const norm_args& a, size_t first, size_t last) {
  using v = vec<Arch>;
  const float count = static_cast<float>(a.width);
  detail::for_norm_rows<Arch>(a, first, last, [&](const float* x, float* out) {
    const v origin(x[0]);
    const v mean(detail::sum_over<Arch>(x, a.width, [&](const v& y) { return y - origin; }) / count);
    const auto centred = [&](const v& y) { return (y - origin) - mean; };
    const float squares = detail::sum_over<Arch>(x, a.width, [&](const v& y) {
      const v z = centred(y);
      return z * z;
    });
    detail::write_normalised<Arch>(a, x, out, 1.0f / std::sqrt(squares / count + a.epsilon), centred);
  });
}

template <class Arch>
inline void rms_norm(const norm_args& a, size_t first, size_t last) {
  using v = vec<Arch>;
  detail::for_norm_rows<Arch>(a, first, last, [&](const float* x, float* out) {
    const float squares = detail::sum_over<Arch>(x, a.width, [](const v& y) { return y * y; });
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(a.width) + a.epsilon);
    detail::write_normalised<Arch>(a, x, out, scale, [](const v& y) { return y; });
  });
}

} // namespace fovea::core::simd
