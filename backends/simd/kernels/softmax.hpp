#pragma once

// softmax and log_softmax over the middle axis of [outer, count, inner] (see softmax_args in arguments.hpp).

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/math.hpp>

#include <cstddef>
#include <limits>

namespace fovea::core::simd {

namespace detail {

/// Work for one task: elements, about.
inline constexpr size_t softmax_elements = 4096;

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Outer slices in a task.
inline size_t softmax_slices(const softmax_args& a) {
  const size_t slice = a.count * a.inner;
  return slice == 0 || slice >= softmax_elements ? 1 : softmax_elements / slice;
}

/// What is subtracted before the exponential: the largest element, 0 where all are -inf.
template <class Arch>
inline vec<Arch> origin_of(const vec<Arch>& largest) {
  return Arch::select(largest == vec<Arch>(minus_infinity), vec<Arch>(0.0f), largest);
}

/// e^(x - origin), x <= origin; 0 where that is denormal.
template <class Arch>
inline vec<Arch> weight_of(const vec<Arch>& x, const vec<Arch>& origin) {
  return math::exp_of_nonpositive<Arch>(x - origin);
}

/// 1 / sum, 0 for a row of -inf alone.
template <class Arch>
inline vec<Arch> reciprocal_or_zero(const vec<Arch>& sum) {
  return Arch::select(sum == vec<Arch>(0.0f), vec<Arch>(0.0f), vec<Arch>(1.0f) / sum);
}

template <class Arch, bool logarithm>
inline void softmax_row(const float* x, float* out, size_t count) {
  using v = vec<Arch>;
  const v largest(reduce_max<Arch>(join_over<Arch>(
      x, count, minus_infinity, [](const v& y) { return y; },
      [](const v& a, const v& b) { return Arch::max(a, b); })));
  const v origin = origin_of<Arch>(largest);
  if constexpr (logarithm) {
    const v sum(sum_over<Arch>(x, count, [&](const v& y) { return weight_of<Arch>(y, origin); }));
    const v rest = math::log<Arch>(sum);
    for_vectors<Arch>(
        count, [&](size_t i, auto lanes) { lanes.store(out + i, (lanes.load(x + i) - origin) - rest); });
  } else {
    v total(0.0f);
    for_vectors<Arch>(count, [&](size_t i, auto lanes) {
      const v weight = lanes.filled(weight_of<Arch>(lanes.load(x + i), origin), 0.0f);
      total += weight;
      lanes.store(out + i, weight);
    });
    const v share = reciprocal_or_zero<Arch>(v(reduce_add<Arch>(total)));
    for_vectors<Arch>(count,
                      [&](size_t i, auto lanes) { lanes.store(out + i, lanes.load(out + i) * share); });
  }
}

/// Columns of [count, inner], a vector of them at a time.
template <class Arch, bool logarithm>
inline void softmax_columns(const float* x, float* out, size_t count, size_t inner) {
  using v = vec<Arch>;
  for_vectors<Arch>(inner, [&](size_t column, auto lanes) {
    v largest(minus_infinity);
    for (size_t k = 0; k < count; ++k) largest = Arch::max(largest, lanes.load(x + k * inner + column));
    const v origin = origin_of<Arch>(largest);
    v total(0.0f);
    for (size_t k = 0; k < count; ++k) {
      const v weight = weight_of<Arch>(lanes.load(x + k * inner + column), origin);
      total += weight;
      if constexpr (!logarithm) lanes.store(out + k * inner + column, weight);
    }
    if constexpr (logarithm) {
      const v rest = math::log<Arch>(total);
      for (size_t k = 0; k < count; ++k)
        lanes.store(out + k * inner + column, (lanes.load(x + k * inner + column) - origin) - rest);
    } else {
      const v share = reciprocal_or_zero<Arch>(total);
      for (size_t k = 0; k < count; ++k) {
        float* at = out + k * inner + column;
        lanes.store(at, lanes.load(at) * share);
      }
    }
  });
}

template <class Arch, bool logarithm>
inline void softmax_slices_of(const softmax_args& a, size_t first, size_t last) {
  const size_t slices = softmax_slices(a), slice = a.count * a.inner;
  const size_t until = last * slices < a.outer ? last * slices : a.outer;
  for (size_t i = first * slices; i < until; ++i) {
    if (a.inner == 1)
      softmax_row<Arch, logarithm>(a.x + i * slice, a.out + i * slice, a.count);
    else
      softmax_columns<Arch, logarithm>(a.x + i * slice, a.out + i * slice, a.count, a.inner);
  }
}

} // namespace detail

template <class Arch>
inline size_t softmax_tasks(const softmax_args& a) {
  const size_t slices = detail::softmax_slices(a);
  return a.count * a.inner == 0 ? 0 : (a.outer + slices - 1) / slices;
}

/// e^(x - max) / sum; a row of -inf alone gives zeros.
template <class Arch>
inline void softmax(const softmax_args& a, size_t first, size_t last) {
  detail::softmax_slices_of<Arch, false>(a, first, last);
}

/// x - max - log(sum of e^(x - max)); NaN for a row of -inf alone.
template <class Arch>
inline void log_softmax(const softmax_args& a, size_t first, size_t last) {
  detail::softmax_slices_of<Arch, true>(a, first, last);
}

} // namespace fovea::core::simd
