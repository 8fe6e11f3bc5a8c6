#pragma once

// Several positions of a sequence in the lanes of vectors, feature by feature: for rows of so few features that vectors of
// them would be all but empty.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/transpose.hpp>

#include <cstddef>
#include <cstring>

namespace fovea::core::simd {

/// Positions that are computed together: each value is two vectors for each feature.
template <class Arch>
inline constexpr size_t positions_together = 2 * width<Arch>;

namespace detail {

// Rows of `features` numbers one behind the other, as so many vectors, become a vector for each feature, and
// back. Rows that fill vectors are transposed. Else an even number of features is halved; of an odd one each
// result is gathered from all vectors.

template <size_t lanes, size_t odd>
struct every_second {
  static constexpr size_t at(size_t i) { return 2 * i + odd; }
};
template <size_t lanes, size_t half>
struct one_of_each {
  static constexpr size_t at(size_t i) { return (half * lanes + i) / 2 + i % 2 * lanes; }
};
/// Lanes that lie in vector `from`, beside those that are there already: of feature `f` of rows, or of vector `f` of them.
template <size_t lanes, size_t features, size_t f, size_t from>
struct of_feature {
  static constexpr size_t vector(size_t i) { return (i * features + f) / lanes; }
  static constexpr size_t at(size_t i) {
    return vector(i) == from             ? lanes + (i * features + f) % lanes
           : from == 1 && vector(i) == 0 ? (i * features + f) % lanes
                                         : i;
  }
};
template <size_t lanes, size_t features, size_t f, size_t from>
struct of_row {
  static constexpr size_t vector(size_t i) { return (f * lanes + i) % features; }
  static constexpr size_t at(size_t i) {
    return vector(i) == from             ? lanes + (f * lanes + i) / features
           : from == 1 && vector(i) == 0 ? (f * lanes + i) / features
                                         : i;
  }
};
template <class Arch, size_t features, template <size_t, size_t, size_t, size_t> class pick>
[[gnu::always_inline]] inline void gather_lanes(vec<Arch> (&x)[features]) {
  vec<Arch> made[features];
  for_constants<features>([&](auto f) __attribute__((always_inline)) {
    made[f] = x[0];
    for_constants<features - 1>([&](auto i) __attribute__((always_inline)) {
      made[f] = shuffle<Arch>(made[f], x[i + 1], pick<width<Arch>, features, f, i + 1>{});
    });
  });
  for_constants<features>([&](auto f) __attribute__((always_inline)) { x[f] = made[f]; });
}
/// Rows of several vectors, or vectors of that many features, become the other.
template <class Arch, size_t features, bool of_rows>
[[gnu::always_inline]] inline void transpose_rows(vec<Arch> (&x)[features]) {
  constexpr size_t lanes = width<Arch>, vectors = features / lanes;
  vec<Arch> made[features];
  for_constants<vectors>([&](auto i) __attribute__((always_inline)) {
    vec<Arch> square[lanes];
    for_constants<lanes>([&](auto l) __attribute__((always_inline)) {
      square[l] = x[of_rows ? l * vectors + i : i * lanes + l];
    });
    transpose<Arch>(square);
    for_constants<lanes>([&](auto l) __attribute__((always_inline)) {
      made[of_rows ? i * lanes + l : l * vectors + i] = square[l];
    });
  });
  for_constants<features>([&](auto f) __attribute__((always_inline)) { x[f] = made[f]; });
}
template <class Arch, size_t features>
[[gnu::always_inline]] inline void spread_lanes(vec<Arch> (&x)[features]) {
  constexpr size_t half = features / 2, lanes = width<Arch>;
  if constexpr (features % lanes == 0) {
    transpose_rows<Arch, features, true>(x);
  } else if constexpr (features % 2 != 0) {
    if constexpr (features > 1) gather_lanes<Arch, features, of_feature>(x);
  } else {
    vec<Arch> even[half], odd[half];
    for_constants<half>([&](auto i) __attribute__((always_inline)) {
      even[i] = shuffle<Arch>(x[2 * i], x[2 * i + 1], every_second<lanes, 0>{});
      odd[i] = shuffle<Arch>(x[2 * i], x[2 * i + 1], every_second<lanes, 1>{});
    });
    spread_lanes<Arch, half>(even);
    spread_lanes<Arch, half>(odd);
    for_constants<half>([&](auto i)
                            __attribute__((always_inline)) { x[2 * i] = even[i], x[2 * i + 1] = odd[i]; });
  }
}
template <class Arch, size_t features>
[[gnu::always_inline]] inline void join_lanes(vec<Arch> (&x)[features]) {
  constexpr size_t half = features / 2, lanes = width<Arch>;
  if constexpr (features % lanes == 0) {
    transpose_rows<Arch, features, false>(x);
  } else if constexpr (features % 2 != 0) {
    if constexpr (features > 1) gather_lanes<Arch, features, of_row>(x);
  } else {
    vec<Arch> even[half], odd[half];
    for_constants<half>([&](auto i)
                            __attribute__((always_inline)) { even[i] = x[2 * i], odd[i] = x[2 * i + 1]; });
    join_lanes<Arch, half>(even);
    join_lanes<Arch, half>(odd);
    for_constants<half>([&](auto i) __attribute__((always_inline)) {
      x[2 * i] = shuffle<Arch>(even[i], odd[i], one_of_each<lanes, 0>{});
      x[2 * i + 1] = shuffle<Arch>(even[i], odd[i], one_of_each<lanes, 1>{});
    });
  }
}

} // namespace detail

/// to [pieces, features, positions_together] = of each piece the first `count` rows of features, pieces
/// `step` floats apart; other positions are 0.
template <class Arch, size_t features>
[[gnu::noinline]] void spread_positions(const float* from, size_t step, size_t pieces, size_t count,
                                        float* to) {
  constexpr size_t lanes = width<Arch>, together = positions_together<Arch>;
  alignas(64) float whole[features * together];
  if (count < together) std::memset(whole, 0, sizeof(whole));
  for (; pieces > 0; --pieces, from += step, to += features * together) {
    const float* rows = from;
    if (count < together)
      rows = static_cast<float*>(std::memcpy(whole, from, count * features * sizeof(float)));
    detail::for_constants<2>([&](auto half) __attribute__((always_inline)) {
      vec<Arch> x[features];
      detail::for_constants<features>([&](auto f) __attribute__((always_inline)) {
        x[f] = Arch::load(rows + (half * features + f) * lanes);
      });
      detail::spread_lanes<Arch, features>(x);
      detail::for_constants<features>([&](auto f) __attribute__((always_inline)) {
        x[f].store_aligned(to + f * together + half * lanes);
      });
    });
  }
}

/// The other way: the first `count` rows.
template <class Arch, size_t features>
[[gnu::noinline]] void join_positions(const float* from, size_t count, float* to) {
  constexpr size_t lanes = width<Arch>, together = positions_together<Arch>;
  alignas(64) float whole[features * together];
  float* const rows = count < together ? whole : to;
  for (size_t j = 0; j < together; j += lanes) {
    vec<Arch> x[features];
    detail::for_constants<features>([&](auto f) { x[f] = vec<Arch>::load_aligned(from + f * together + j); });
    detail::join_lanes<Arch, features>(x);
    detail::for_constants<features>([&](auto f) { Arch::store(rows + j * features + f * lanes, x[f]); });
  }
  if (count < together) std::memcpy(to, whole, count * features * sizeof(float));
}

/// Outputs that are summed together: their sums and those of a piece find room in registers.
template <class Arch>
inline constexpr size_t outputs_together = Arch::registers >= 32 ? 4 : 2;

/// to [outputs, positions_together] = bias + the sum over pieces of weights times x. Each piece is summed by
/// itself, its even and its odd steps apart, so that sums round less.
///   x        [pieces * depth, positions_together]
///   weights  [pieces * depth, outputs]
template <class Arch, size_t outputs>
[[gnu::noinline]] void multiply_positions(const float* x, size_t pieces, size_t depth, const float* weights,
                                          const float* bias, float* to) {
  using namespace detail;
  constexpr size_t lanes = width<Arch>, together = positions_together<Arch>;
  vec<Arch> sum[outputs][2], even[outputs][2], odd[outputs][2];
  const auto clear = [](auto& sums) __attribute__((always_inline)) {
    for_constants<outputs * 2>([&](auto i)
                                   __attribute__((always_inline)) { sums[i / 2][i % 2] = vec<Arch>(0.f); });
  };
  const auto add = [&](auto& sums) __attribute__((always_inline)) {
    const vec<Arch> one = Arch::in_register(vec<Arch>::load_aligned(x)),
                    other = Arch::in_register(vec<Arch>::load_aligned(x + lanes));
    for_constants<outputs>([&](auto o) __attribute__((always_inline)) {
      const vec<Arch> w(weights[o]);
      sums[o][0] = Arch::fma(w, one, sums[o][0]);
      sums[o][1] = Arch::fma(w, other, sums[o][1]);
    });
    x += together, weights += outputs;
  };
  clear(sum);
  for (; pieces > 0; --pieces) {
    clear(even), clear(odd);
    size_t k = 0;
    for (; k + 2 <= depth; k += 2) add(even), add(odd);
    if (k < depth) add(even);
    for_constants<outputs * 2>([&](auto i) __attribute__((always_inline)) {
      sum[i / 2][i % 2] += even[i / 2][i % 2] + odd[i / 2][i % 2];
    });
  }
  for_constants<outputs * 2>([&](auto i) __attribute__((always_inline)) {
    (sum[i / 2][i % 2] + vec<Arch>(bias[i / 2])).store_aligned(to + i / 2 * together + i % 2 * lanes);
  });
}

} // namespace fovea::core::simd
