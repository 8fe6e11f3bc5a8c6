#pragma once

// Sum, mean, maximum and minimum over the middle axis of [outer, count, inner] (see reduce_args in
// table.hpp).

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

#include <cstddef>
#include <limits>

namespace fovea::simd {

namespace detail {

/// Work for one task: elements, about.
inline constexpr size_t reduce_elements = 8192;

/// Outer slices in a task.
inline size_t reduce_slices(const reduce_args& a) {
  const size_t slice = a.count * a.inner;
  return slice == 0 || slice >= reduce_elements ? 1 : reduce_elements / slice;
}

/// The maximum or minimum: of no elements, and NaN where one element is.
template <class Arch, bool maximum>
struct extreme {
  static constexpr float neutral =
      maximum ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  vec<Arch> operator()(const vec<Arch>& so_far, const vec<Arch>& next) const {
    // These return their second operand where one is NaN: a NaN in `next` stays, one in `so_far` is kept by
    // `select`.
    const vec<Arch> larger = maximum ? xsimd::max(so_far, next) : xsimd::min(so_far, next);
    return xsimd::select(so_far == so_far, larger, so_far);
  }
};

template <class Arch>
struct added {
  static constexpr float neutral = 0.0f;
  vec<Arch> operator()(const vec<Arch>& so_far, const vec<Arch>& next) const { return so_far + next; }
};

/// All lanes into one, by the same rule; the lanes' order is fixed.
template <class Arch, class Join>
inline float join_lanes(vec<Arch> x, const Join& join) {
  alignas(64) float lanes[2 * width<Arch>];
  for (size_t i = 0; i < width<Arch>; ++i) lanes[width<Arch> + i] = Join::neutral;
  for (size_t half = width<Arch> / 2; half > 0; half /= 2) {
    x.store_aligned(lanes);
    x = join(x, load<Arch>(lanes + half));
  }
  x.store_aligned(lanes);
  return lanes[0];
}

/// Joins block(0), block(1), ... in pairs, the pairs in pairs and so on: the error of a long sum then grows
/// with its logarithm (pairwise summation, Higham 1993).
template <class Arch, class Block, class Join>
inline vec<Arch> join_pairwise(size_t blocks, const Block& block, const Join& join) {
  vec<Arch> pending[64]; // pending[level] joins 2^level blocks, where that bit of the number done is set
  for (size_t done = 0; done < blocks; ++done) {
    vec<Arch> total = block(done);
    size_t level = 0;
    for (; done >> level & 1; ++level) total = join(pending[level], total);
    pending[level] = total;
  }
  vec<Arch> total(Join::neutral);
  for (size_t level = 0; blocks >> level != 0; ++level)
    if (blocks >> level & 1) total = join(pending[level], total);
  return total;
}

template <class Arch, class Join>
inline float reduce_row(const float* x, size_t count, const Join& join) {
  constexpr size_t block = 2048;
  const auto of_block = [&](size_t i) {
    const size_t here = count - i * block < block ? count - i * block : block;
    return join_over<Arch>(
        x + i * block, here, Join::neutral, [](const vec<Arch>& y) { return y; }, join);
  };
  return join_lanes<Arch>(join_pairwise<Arch>((count + block - 1) / block, of_block, join), join);
}

/// Columns of [count, inner].
template <class Arch, class Join, class Lanes>
inline vec<Arch> reduce_column(const float* x, size_t count, size_t inner, const Lanes& lanes,
                               const Join& join) {
  constexpr size_t block = 32;
  const auto of_block = [&](size_t i) {
    const size_t end = count - i * block < block ? count : (i + 1) * block;
    vec<Arch> total(Join::neutral);
    for (size_t row = i * block; row < end; ++row) total = join(total, lanes.load(x + row * inner));
    return total;
  };
  return join_pairwise<Arch>((count + block - 1) / block, of_block, join);
}

template <class Arch, class Join>
inline void reduce_slices_of(const reduce_args& a, size_t first, size_t last, float scale, const Join& join) {
  const size_t slices = reduce_slices(a), slice = a.count * a.inner;
  const size_t until = last * slices < a.outer ? last * slices : a.outer;
  for (size_t i = first * slices; i < until; ++i) {
    const float* x = a.x + i * slice;
    if (a.inner == 1) {
      a.out[i] = reduce_row<Arch>(x, a.count, join) * scale;
      continue;
    }
    for_vectors<Arch>(a.inner, [&](size_t column, auto lanes) {
      lanes.store(a.out + i * a.inner + column,
                  reduce_column<Arch>(x + column, a.count, a.inner, lanes, join) * vec<Arch>(scale));
    });
  }
}

} // namespace detail

template <class Arch>
inline size_t reduce_tasks(const reduce_args& a) {
  const size_t slices = detail::reduce_slices(a);
  return (a.outer + slices - 1) / slices;
}

/// A sum of no elements is 0, a mean NaN, a maximum -inf, a minimum inf. NaN anywhere gives NaN.
template <class Arch>
inline void reduce(reduction by, const reduce_args& a, size_t first, size_t last) {
  using namespace detail;
  switch (by) {
    case reduction::sum:
      return reduce_slices_of<Arch>(a, first, last, 1.0f, added<Arch>{});
    case reduction::mean:
      return reduce_slices_of<Arch>(a, first, last, 1.0f / static_cast<float>(a.count), added<Arch>{});
    case reduction::maximum:
      return reduce_slices_of<Arch>(a, first, last, 1.0f, extreme<Arch, true>{});
    case reduction::minimum:
      return reduce_slices_of<Arch>(a, first, last, 1.0f, extreme<Arch, false>{});
  }
}

} // namespace fovea::simd
