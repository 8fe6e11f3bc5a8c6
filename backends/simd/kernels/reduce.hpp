#pragma once

// Sum, mean, maximum and minimum over the middle axis of [outer, count, inner] (see reduce_args in
// arguments.hpp).

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>

#include <cstddef>
#include <limits>

namespace fovea::core::simd {

namespace detail {

/// Work for one task: elements, about.
inline constexpr size_t reduce_elements = 8192;

/// What a task reduces: several outer slices, or some columns of one that is large.
struct reduce_grid {
  size_t slices, columns;
  explicit reduce_grid(const reduce_args& a) : slices(1), columns(a.inner) {
    constexpr size_t strip = 256; // floats that lie next to each other
    const size_t slice = a.count * a.inner;
    if (slice < reduce_elements)
      slices = slice == 0 ? 1 : reduce_elements / slice;
    else if (a.inner > strip)
      columns = strip;
  }
  size_t strips(const reduce_args& a) const { return a.inner == 0 ? 1 : (a.inner + columns - 1) / columns; }
  size_t tasks(const reduce_args& a) const { return (a.outer + slices - 1) / slices * strips(a); }
};

/// The maximum or minimum: of no elements, and NaN where one element is.
template <class Arch, bool maximum>
struct extreme {
  static constexpr float neutral =
      maximum ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  vec<Arch> operator()(const vec<Arch>& so_far, const vec<Arch>& next) const {
    // These return their second operand where one is NaN: a NaN in `next` stays, one in `so_far` is kept by
    // `select`.
    const vec<Arch> larger = maximum ? Arch::max(so_far, next) : Arch::min(so_far, next);
    return Arch::select(so_far == so_far, larger, so_far);
  }
};

template <class Arch>
struct added {
  static constexpr float neutral = 0.0f;
  vec<Arch> operator()(const vec<Arch>& so_far, const vec<Arch>& next) const { return so_far + next; }
};

/// Joins block(0), block(1), ... in pairs, the pairs in pairs and so on: the error of a long sum then grows
/// with its logarithm (pairwise summation, Higham 1993).
template <class T, class Block, class Join>
inline T join_pairwise(size_t blocks, const Block& block, const Join& join, const T& neutral) {
  T pending[64]; // pending[level] joins 2^level blocks, where that bit of the number done is set
  for (size_t done = 0; done < blocks; ++done) {
    T total = block(done);
    size_t level = 0;
    for (; done >> level & 1; ++level) total = join(pending[level], total);
    pending[level] = total;
  }
  T total = neutral;
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
  return reduce<Arch>(join_pairwise((count + block - 1) / block, of_block, join, vec<Arch>(Join::neutral)),
                      join);
}

/// `count` vectors beside each other.
template <class Arch, size_t count>
struct beside {
  vec<Arch> of[count];
};

/// Columns of [count, inner]: `vectors` of them, as `lanes` loads and stores each.
template <class Arch, size_t vectors, class Join, class Lanes>
inline void reduce_columns(const float* x, size_t count, size_t inner, float* out, float scale,
                           const Lanes& lanes, const Join& join) {
  constexpr size_t block = 32;
  using values = beside<Arch, vectors>;
  values neutral;
  for_constants<vectors>([&](auto i) { neutral.of[i] = vec<Arch>(Join::neutral); });
  const auto of_block = [&](size_t number) {
    const size_t end = count - number * block < block ? count : (number + 1) * block;
    values total = neutral;
    for (size_t row = number * block; row < end; ++row)
      for_constants<vectors>(
          [&](auto i) { total.of[i] = join(total.of[i], lanes.load(x + row * inner + i * width<Arch>)); });
    return total;
  };
  const auto join_all = [&](const values& a, const values& b) {
    values joined;
    for_constants<vectors>([&](auto i) { joined.of[i] = join(a.of[i], b.of[i]); });
    return joined;
  };
  const values total = join_pairwise((count + block - 1) / block, of_block, join_all, neutral);
  for_constants<vectors>([&](auto i) { lanes.store(out + i * width<Arch>, total.of[i] * vec<Arch>(scale)); });
}

/// `columns` columns of [count, inner], from x on.
template <class Arch, class Join>
inline void reduce_columns_of(const float* x, size_t count, size_t inner, size_t columns, float* out,
                              float scale, const Join& join) {
  constexpr size_t together = 8;
  size_t j = 0;
  for (; j + together * width<Arch> <= columns; j += together * width<Arch>)
    reduce_columns<Arch, together>(x + j, count, inner, out + j, scale, all_lanes<Arch>{}, join);
  for_vectors<Arch>(columns - j, [&](size_t k, auto lanes) {
    reduce_columns<Arch, 1>(x + j + k, count, inner, out + j + k, scale, lanes, join);
  });
}

/// Calls of(i, column, end) for what tasks first <= i < last reduce: columns column <= j < end of slice i.
template <class F>
inline void for_slices(const reduce_args& a, size_t first, size_t last, const F& of) {
  const reduce_grid grid(a);
  const size_t strips = grid.strips(a);
  for (size_t task = first; task < last; ++task) {
    const size_t begin = task / strips * grid.slices,
                 until = begin + grid.slices < a.outer ? begin + grid.slices : a.outer;
    const size_t column = task % strips * grid.columns,
                 end = column + grid.columns < a.inner ? column + grid.columns : a.inner;
    for (size_t i = begin; i < until; ++i) of(i, column, end);
  }
}

template <class Arch, class Join>
inline void reduce_slices_of(const reduce_args& a, size_t first, size_t last, float scale, const Join& join) {
  for_slices(a, first, last, [&](size_t i, size_t column, size_t end) {
    const float* x = a.x + i * a.count * a.inner;
    float* out = a.out + i * a.inner;
    if (a.inner == 1)
      out[0] = reduce_row<Arch>(x, a.count, join) * scale;
    else
      reduce_columns_of<Arch>(x + column, a.count, a.inner, end - column, out + column, scale, join);
  });
}

} // namespace detail

template <class Arch>
inline size_t reduce_tasks(const reduce_args& a) {
  return detail::reduce_grid(a).tasks(a);
}

/// A sum of no elements is 0, a mean NaN, a maximum -inf, a minimum inf. NaN anywhere gives NaN.
template <class Arch>
inline void reduce(const reduce_args& a, size_t first, size_t last) {
  using namespace detail;
  switch (a.by) {
    case op::sum:
      return reduce_slices_of<Arch>(a, first, last, 1.0f, added<Arch>{});
    case op::mean:
      return reduce_slices_of<Arch>(a, first, last, 1.0f / static_cast<float>(a.count), added<Arch>{});
    case op::max_over:
      return reduce_slices_of<Arch>(a, first, last, 1.0f, extreme<Arch, true>{});
    case op::min_over:
      return reduce_slices_of<Arch>(a, first, last, 1.0f, extreme<Arch, false>{});
    default:
      return;
  }
}

} // namespace fovea::core::simd
