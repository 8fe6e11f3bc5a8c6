#pragma once

// A square of as many vectors as a vector has lanes, in registers: transposing it, and the sum of each
// vector.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>

#include <cstddef>
#include <utility>

namespace fovea::core::simd {

namespace detail {

/// Lane i of the result is lane pick(i) of (a, b) side by side.
template <class Arch, class Pick, std::size_t... lane>
inline vec<Arch> shuffle(const vec<Arch>& a, const vec<Arch>& b, Pick pick, std::index_sequence<lane...>) {
  using native = typename vec<Arch>::register_type;
  return vec<Arch>(__builtin_shufflevector(static_cast<native>(a), static_cast<native>(b),
                                           static_cast<int>(decltype(pick)::at(lane))...));
}

template <class Arch, class Pick>
inline vec<Arch> shuffle(const vec<Arch>& a, const vec<Arch>& b, Pick pick) {
  return shuffle<Arch>(a, b, pick, std::make_index_sequence<width<Arch>>{});
}

// Inside each block of four lanes: x = a0 b0 a1 b1 (half 0) or a2 b2 a3 b3 (half 1), the sets' unpack
// instructions.
template <std::size_t lanes, std::size_t half>
struct interleaved_ones {
  static constexpr std::size_t at(std::size_t i) {
    return i / 4 * 4 + half * 2 + i % 4 / 2 + (i % 2 == 0 ? 0 : lanes);
  }
};
// The same on pairs: a0 a1 b0 b1 or a2 a3 b2 b3.
template <std::size_t lanes, std::size_t half>
struct interleaved_pairs {
  static constexpr std::size_t at(std::size_t i) {
    return i / 4 * 4 + half * 2 + i % 2 + (i % 4 < 2 ? 0 : lanes);
  }
};
// Blocks of `span` lanes change places between two vectors: a's even blocks and b's even ones (half 0), or
// the odd ones.
template <std::size_t lanes, std::size_t span, std::size_t half>
struct exchanged_blocks {
  static constexpr std::size_t at(std::size_t i) {
    const std::size_t inside = i / (2 * span) * (2 * span) + half * span + i % span;
    return i / span % 2 == 0 ? inside : lanes + inside;
  }
};

/// Swaps, for rows `span` apart, the blocks off the diagonal, for this span and each larger one.
template <class Arch, std::size_t span>
inline void exchange_blocks(vec<Arch> (&rows)[width<Arch>]) {
  constexpr std::size_t lanes = width<Arch>;
  if constexpr (span < lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      if (i / span % 2 != 0) continue;
      const vec<Arch> a = rows[i], b = rows[i + span];
      rows[i] = shuffle<Arch>(a, b, exchanged_blocks<lanes, span, 0>{});
      rows[i + span] = shuffle<Arch>(a, b, exchanged_blocks<lanes, span, 1>{});
    }
    exchange_blocks<Arch, 2 * span>(rows);
  }
}

/// The `count` vectors two by two, blocks of `span` lanes summed; then with twice the span.
template <class Arch, std::size_t span, std::size_t count>
inline vec<Arch> sum_blocks(const vec<Arch> (&rows)[count]) {
  if constexpr (count == 1) {
    return rows[0];
  } else {
    vec<Arch> half[count / 2];
    for_constants<count / 2>([&](auto i) {
      const vec<Arch>&a = rows[2 * i], &b = rows[2 * i + 1];
      half[i] = shuffle<Arch>(a, b, exchanged_blocks<width<Arch>, span, 0>{}) +
                shuffle<Arch>(a, b, exchanged_blocks<width<Arch>, span, 1>{});
    });
    return sum_blocks<Arch, 2 * span>(half);
  }
}

} // namespace detail

/// Lane i of the result is the sum of the lanes of rows[i].
template <class Arch>
inline vec<Arch> sums_of_lanes(const vec<Arch> (&rows)[width<Arch>]) {
  using namespace detail;
  constexpr std::size_t lanes = width<Arch>;
  static_assert(lanes % 4 == 0);
  vec<Arch> fours[lanes / 4];
  for_constants<lanes / 4>([&](auto i) {
    const auto pair = [&](std::size_t at) {
      return shuffle<Arch>(rows[at], rows[at + 1], interleaved_ones<lanes, 0>{}) +
             shuffle<Arch>(rows[at], rows[at + 1], interleaved_ones<lanes, 1>{});
    };
    const vec<Arch> a = pair(4 * i), b = pair(4 * i + 2);
    fours[i] = shuffle<Arch>(a, b, interleaved_pairs<lanes, 0>{}) +
               shuffle<Arch>(a, b, interleaved_pairs<lanes, 1>{});
  });
  return sum_blocks<Arch, 4>(fours);
}

/// rows[i] lane j becomes rows[j] lane i.
template <class Arch>
inline void transpose(vec<Arch> (&rows)[width<Arch>]) {
  using namespace detail;
  constexpr std::size_t lanes = width<Arch>;
  static_assert(lanes % 4 == 0);
  for (std::size_t i = 0; i < lanes; i += 4) {
    const vec<Arch> low01 = shuffle<Arch>(rows[i], rows[i + 1], interleaved_ones<lanes, 0>{});
    const vec<Arch> high01 = shuffle<Arch>(rows[i], rows[i + 1], interleaved_ones<lanes, 1>{});
    const vec<Arch> low23 = shuffle<Arch>(rows[i + 2], rows[i + 3], interleaved_ones<lanes, 0>{});
    const vec<Arch> high23 = shuffle<Arch>(rows[i + 2], rows[i + 3], interleaved_ones<lanes, 1>{});
    rows[i] = shuffle<Arch>(low01, low23, interleaved_pairs<lanes, 0>{});
    rows[i + 1] = shuffle<Arch>(low01, low23, interleaved_pairs<lanes, 1>{});
    rows[i + 2] = shuffle<Arch>(high01, high23, interleaved_pairs<lanes, 0>{});
    rows[i + 3] = shuffle<Arch>(high01, high23, interleaved_pairs<lanes, 1>{});
  }
  exchange_blocks<Arch, 4>(rows);
}

} // namespace fovea::core::simd
