#pragma once

// The row pass of attention's gradient (see attention_gradient_args in arguments.hpp): P = softmax(scale S) and
// dS = scale P (dP - sum of dP P) over the keys that each query sees, zeros elsewhere.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/math.hpp>

#include <cstdint>
#include <limits>

namespace fovea::core::simd {

namespace detail {

/// The keys that one query sees, by whole vectors: those beside them in a first or last vector count as
/// hidden.
template <class Arch>
struct seen_keys {
  size_t first = 0, last = 0;

  seen_keys(const attention_gradient_args& a, size_t row) {
    const auto clamped = [&](const std::int32_t* ends, size_t otherwise) {
      if (ends == nullptr) return otherwise;
      const std::int64_t end = static_cast<std::int64_t>(ends[row]) - static_cast<std::int64_t>(a.first_key);
      return end < 0 ? 0 : static_cast<size_t>(end) < a.keys ? static_cast<size_t>(end) : a.keys;
    };
    first = clamped(a.lower, 0), last = clamped(a.upper, a.keys);
    if (last < first) last = first;
  }
  size_t begin() const { return first / width<Arch> * width<Arch>; }
  size_t end() const {
    return first == last ? begin() : (last + width<Arch> - 1) / width<Arch> * width<Arch>;
  }

  /// f(index, seen) for each vector; seen(x, otherwise) puts `otherwise` in place of hidden keys.
  template <class F>
  void for_each(const F& f) const {
    const vec<Arch> low(static_cast<float>(first)), high(static_cast<float>(last));
    for (size_t j = begin(); j < end(); j += width<Arch>) {
      if (j >= first && j + width<Arch> <= last) {
        f(j, [](const vec<Arch>& x, float) { return x; });
        continue;
      }
      alignas(64) float keys[width<Arch>];
      for (size_t i = 0; i < width<Arch>; ++i) keys[i] = static_cast<float>(j + i);
      const vec<Arch> key = vec<Arch>::load_aligned(keys);
      const auto inside = (key >= low) & (key < high);
      f(j,
        [&](const vec<Arch>& x, float otherwise) { return Arch::select(inside, x, vec<Arch>(otherwise)); });
    }
  }
};

} // namespace detail

template <class Arch>
void attention_gradient(const attention_gradient_args& a) {
  using v = vec<Arch>;
  const v scale(a.scale);
  const size_t whole = (a.keys + width<Arch> - 1) / width<Arch> * width<Arch>;
  for (size_t row = 0; row < a.rows; ++row) {
    const detail::seen_keys<Arch> seen(a, row);
    float *p = a.scores + row * a.stride, *ds = a.gradients + row * a.stride;
    const auto clear = [&](size_t from, size_t to) {
      for (size_t j = from; j < to; j += width<Arch>) {
        v(0.0f).store_aligned(p + j);
        v(0.0f).store_aligned(ds + j);
      }
    };
    clear(0, seen.begin());
    clear(seen.end(), whole);
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    v most(lowest), sum(0.0f), total(0.0f);
    seen.for_each(
        [&](size_t j, auto only) { most = Arch::max(most, only(v::load_aligned(p + j) * scale, lowest)); });
    const v largest(reduce_max<Arch>(most));
    seen.for_each([&](size_t j, auto only) {
      const v e = only(math::exp<Arch>(v::load_aligned(p + j) * scale - largest), 0.0f);
      const v d = only(v::load_aligned(ds + j), 0.0f);
      e.store_aligned(p + j);
      d.store_aligned(ds + j);
      sum += e;
      total = Arch::fma(e, d, total);
    });
    const v share(1.0f / reduce_add<Arch>(sum)), mean = v(reduce_add<Arch>(total)) * share;
    seen.for_each([&](size_t j, auto) {
      const v of = v::load_aligned(p + j) * share;
      of.store_aligned(p + j);
      (of * (v::load_aligned(ds + j) - mean) * scale).store_aligned(ds + j);
    });
  }
}

} // namespace fovea::core::simd
