#pragma once

// Cross entropy of rows of logits and its gradient (see cross_entropy_args in arguments.hpp).

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/math.hpp>
#include <fovea/backends/simd/kernels/softmax.hpp>

#include <cstddef>

namespace fovea::core::simd {

namespace detail {

/// Rows in a task.
inline size_t cross_entropy_rows(const cross_entropy_args& a) {
  return a.classes >= softmax_elements ? 1 : softmax_elements / a.classes;
}

template <class F>
inline void for_cross_entropy_rows(const cross_entropy_args& a, size_t first, size_t last, const F& f) {
  const size_t rows = cross_entropy_rows(a), until = last * rows < a.rows ? last * rows : a.rows;
  for (size_t row = first * rows; row < until; ++row) {
    const std::int32_t target = a.targets[row];
    f(row, a.x + row * a.classes, static_cast<size_t>(target),
      target >= 0 && static_cast<size_t>(target) < a.classes);
  }
}

template <class Arch>
inline vec<Arch> origin_of_row(const float* x, size_t count) {
  const auto larger = [](const vec<Arch>& a, const vec<Arch>& b) { return Arch::max(a, b); };
  return origin_of<Arch>(vec<Arch>(reduce_max<Arch>(join_over<Arch>(
      x, count, minus_infinity, [](const vec<Arch>& y) { return y; }, larger))));
}

} // namespace detail

template <class Arch>
inline size_t cross_entropy_tasks(const cross_entropy_args& a) {
  const size_t rows = detail::cross_entropy_rows(a);
  return (a.rows + rows - 1) / rows;
}

template <class Arch>
inline void cross_entropy(const cross_entropy_args& a, size_t first, size_t last) {
  using v = vec<Arch>;
  detail::for_cross_entropy_rows(a, first, last, [&](size_t row, const float* x, size_t target, bool inside) {
    const v origin = detail::origin_of_row<Arch>(x, a.classes);
    const v log_of_sum = math::log<Arch>(v(detail::sum_over<Arch>(
        x, a.classes, [&](const v& y) { return detail::weight_of<Arch>(y, origin); })));
    v loss(0.0f);
    if (inside) loss = (log_of_sum - (v(x[target]) - origin)) * v(1 - a.smoothing);
    if (a.smoothing != 0) {
      const float sum = detail::sum_over<Arch>(x, a.classes, [&](const v& y) { return y - origin; });
      loss += (log_of_sum - v(sum / static_cast<float>(a.classes))) * v(a.smoothing);
    }
    Arch::store_first(a.out + row, loss, 1);
  });
}

template <class Arch>
inline void cross_entropy_gradient(const cross_entropy_args& a, size_t first, size_t last) {
  using v = vec<Arch>;
  detail::for_cross_entropy_rows(a, first, last, [&](size_t row, const float* x, size_t target, bool inside) {
    float* out = a.out + row * a.classes;
    const v origin = detail::origin_of_row<Arch>(x, a.classes);
    v total(0.0f);
    detail::for_vectors<Arch>(a.classes, [&](size_t i, auto lanes) {
      const v weight = lanes.filled(detail::weight_of<Arch>(lanes.load(x + i), origin), 0.0f);
      total += weight;
      lanes.store(out + i, weight);
    });
    const float d = a.d[row], spread = d * a.smoothing;
    const v share((inside ? d : spread) / reduce_add<Arch>(total)),
        even(spread / static_cast<float>(a.classes));
    detail::for_vectors<Arch>(
        a.classes, [&](size_t i, auto lanes) { lanes.store(out + i, lanes.load(out + i) * share - even); });
    if (inside) out[target] -= d - spread;
  });
}

} // namespace fovea::core::simd
