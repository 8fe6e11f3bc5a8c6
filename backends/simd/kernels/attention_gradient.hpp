#pragma once

// The row pass of attention's gradient (see attention_gradient_args in table.hpp): P = softmax(scale S) and
// dS = scale P (dP - sum of dP P) over the keys that each query sees, zeros elsewhere.

#include <fovea/backends/simd/kernels/softmax.hpp>

namespace fovea::simd {

template <class Arch>
void attention_gradient(const attention_gradient_args& a) {
  using v = vec<Arch>;
  const v scale(a.scale);
  for (size_t row = 0; row < a.rows; ++row) {
    const auto clamped = [&](const std::int32_t* ends, size_t otherwise) {
      if (ends == nullptr) return otherwise;
      const std::int64_t end = static_cast<std::int64_t>(ends[row]) - static_cast<std::int64_t>(a.first_key);
      return end < 0 ? 0 : static_cast<size_t>(end) < a.keys ? static_cast<size_t>(end) : a.keys;
    };
    const size_t first = clamped(a.lower, 0), last = clamped(a.upper, a.keys);
    float *p = a.scores + row * a.stride, *ds = a.gradients + row * a.stride;
    for (size_t j = 0; j < first && j < a.keys; ++j) p[j] = ds[j] = 0.0f;
    for (size_t j = last > first ? last : first; j < a.keys; ++j) p[j] = ds[j] = 0.0f;
    if (last <= first) continue;
    const size_t count = last - first;
    p += first, ds += first;
    detail::for_vectors<Arch>(count,
                              [&](size_t i, auto lanes) { lanes.store(p + i, lanes.load(p + i) * scale); });
    detail::softmax_row<Arch, false>(p, p, count);
    v total(0.0f);
    detail::for_vectors<Arch>(count, [&](size_t i, auto lanes) {
      total += lanes.filled(lanes.load(p + i) * lanes.load(ds + i), 0.0f);
    });
    const v sum(reduce_add<Arch>(total));
    detail::for_vectors<Arch>(count, [&](size_t i, auto lanes) {
      lanes.store(ds + i, lanes.load(p + i) * (lanes.load(ds + i) - sum) * scale);
    });
  }
}

} // namespace fovea::simd
