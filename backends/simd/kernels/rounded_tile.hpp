#pragma once

// Keys and values of a tile as whole numbers of 16 bits, two in the bits of a float, which one instruction multiplies
// and adds. Each key and each value has a scale of its own, so that no other changes its numbers.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/attention_tile.hpp>
#include <fovea/backends/simd/kernels/kept_values.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/math.hpp>
#include <fovea/backends/simd/kernels/rounded_rows.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>
#include <fovea/backends/simd/kernels/transpose.hpp>

#include <bit>
#include <cstddef>

namespace fovea::core::simd {

/// A set that has, for numbers of 16 bits,
///   pair_shorts(low, high)  the lower half of each lane of `low`, and above it that of `high`
///   dot_shorts(sum, x, y)   sum + the products of the two numbers in each lane
template <class Set>
concept multiplies_shorts = requires(typename Set::integers n) {
  Set::pair_shorts(n, n);
  Set::dot_shorts(n, n, n);
};

namespace detail {

/// `steps` of x are 1: the nearest whole number, in the lowest bits.
template <class Arch>
[[gnu::always_inline]] inline vec<Arch> rounded(const vec<Arch>& x, const vec<Arch>& steps) {
  return Arch::fma(x, steps, vec<Arch>(math::detail::to_integer));
}

/// Two rounded numbers in each lane, `low` in its lower half.
template <class Arch>
[[gnu::always_inline]] inline vec<Arch> as_pairs(const vec<Arch>& low, const vec<Arch>& high) {
  return Arch::from_bits(Arch::pair_shorts(Arch::bits(low), Arch::bits(high)));
}

/// The largest magnitude of a query's and a key's numbers, `width` products of which add up to 31 bits.
inline float most_of_key(size_t width) {
  const auto bits = (31 - std::bit_width(width - 1)) / 2;
  return static_cast<float>((size_t{1} << bits) - 1);
}
/// That of weights and of a value's numbers, for the keys of a tile.
inline constexpr float most_of_value = 4095;

/// Pairs of so many numbers: the first half of them, each with one of the second.
constexpr size_t pairs_of(size_t numbers) { return (numbers + 1) / 2; }

/// f(place, pairs, lanes) for the pairs of a row at x, `steps` of whose numbers are 1.
template <class Arch, class F>
[[gnu::always_inline]] inline void for_pairs(const float* x, size_t numbers, float steps, const F& f) {
  const size_t half = pairs_of(numbers), others = numbers - half;
  const vec<Arch> each(steps);
  for_vectors<Arch>(half, [&](size_t i, auto lanes) {
    const float* second = x + half + i;
    const vec<Arch> high =
        i + width<Arch> <= others ? Arch::load(second) : Arch::load_first(second, others - i);
    f(i, as_pairs<Arch>(rounded<Arch>(lanes.load(x + i), each), rounded<Arch>(high, each)), lanes);
  });
}

/// The largest magnitudes of as many rows as a vector has lanes, `row` floats apart, the first `count` of which exist;
/// infinite where a number is not finite.
template <class Arch>
inline vec<Arch> most_of_rows(const float* x, size_t row, size_t count, size_t numbers) {
  vec<Arch> most[width<Arch>];
  for (size_t j = 0; j < width<Arch>; ++j) {
    largest_magnitude<Arch> of_row;
    if (j < count) {
      fetch(x + (j + rows_ahead) * row, numbers);
      for_vectors<Arch>(numbers, [&](size_t i, auto lanes) { of_row.see(lanes.load(x + j * row + i)); });
    }
    most[j] = Arch::from_bits(of_row.bits_of);
  }
  transpose<Arch>(most);
  largest_magnitude<Arch> all;
  for (const vec<Arch>& lane : most) all.see(lane);
  return all.of_lanes();
}

struct rounded_tile {
  float* keys;       // [keys, pairs_of(key_width)]
  float* key_scales; // [keys]: of their numbers; NaN where one is not finite
  float* values;     // [pairs of keys, value_width]: a key and the next
  float* exponents;  // [keys]: a value is 2^exponent times numbers of at most 1; NaN as above
  float* steps;      // [keys]: most_of_value 2^-exponent, by which a value becomes its numbers
  size_t key_row, value_row;

  /// Of `most` keys, a multiple of a vector.
  static size_t floats(const attention_args& a, size_t most) {
    return most * (pairs_of(a.key_width) + 3) + pairs_of(most) * a.value_width;
  }
  rounded_tile(const attention_args& a, size_t most, float* scratch)
      : keys(scratch), key_scales(keys + most * pairs_of(a.key_width)), values(key_scales + most),
        exponents(values + pairs_of(most) * a.value_width), steps(exponents + most),
        key_row(pairs_of(a.key_width)), value_row(a.value_width) {}

  /// From an even row on.
  rounded_tile from(size_t row) const {
    rounded_tile rest = *this;
    rest.keys += row * key_row, rest.key_scales += row;
    rest.values += row / 2 * value_row, rest.exponents += row, rest.steps += row;
    return rest;
  }

  /// `count` keys and values of the tile.
  template <class Arch>
  void round(const attention_args& a, const key_tile& tile, size_t count) const {
    for (size_t j = 0; j < count; j += width<Arch>) {
      const size_t rows = smaller(width<Arch>, count - j);
      round_keys<Arch>(tile.keys + j * tile.key_row, tile.key_row, rows, a.key_width, j);
      find_exponents<Arch>(tile.values + j * tile.value_row, tile.value_row, rows, a.value_width, j);
    }
    for (size_t j = 0; j < count; j += 2) {
      const float *first = tile.values + j * tile.value_row,
                  *second = j + 1 < count ? first + tile.value_row : first;
      const vec<Arch> of_first(steps[j]), of_second(steps[j + 1]);
      for_vectors<Arch>(a.value_width, [&](size_t i, auto lanes) {
        lanes.store(values + j / 2 * value_row + i,
                    as_pairs<Arch>(rounded<Arch>(lanes.load(first + i), of_first),
                                   rounded<Arch>(lanes.load(second + i), of_second)));
      });
    }
  }

private:
  template <class Arch>
  void round_keys(const float* x, size_t row, size_t rows, size_t numbers, size_t j) const {
    const vec<Arch> most(most_of_key(numbers)), largest = most_of_rows<Arch>(x, row, rows, numbers),
                                                zero(0.0f);
    Arch::store(key_scales + j, Arch::fma(largest, zero, largest / most));
    alignas(64) float of_rows[width<Arch>];
    Arch::select(largest > vec<Arch>(0x1p-100f), most / largest, zero).store_aligned(of_rows);
    for (size_t k = 0; k < rows; ++k)
      for_pairs<Arch>(x + k * row, numbers, of_rows[k], [&](size_t i, const vec<Arch>& pairs, auto lanes) {
        lanes.store(keys + (j + k) * key_row + i, pairs);
      });
  }

  template <class Arch>
  void find_exponents(const float* x, size_t row, size_t rows, size_t numbers, size_t j) const {
    using integers = int_vec<Arch>;
    const integers one(127); // the exponent of 1 in a float's bits
    const vec<Arch> largest = most_of_rows<Arch>(x, row, rows, numbers);
    const integers above = (Arch::bits(largest) >> 23) - one + integers(1), // 2^above > largest
        exponent = Arch::max(integers(-60), Arch::min(integers(126), above));
    // Infinity times zero is NaN, from 2^126 on as well, where numbers would be too large.
    const vec<Arch> twice = largest + largest;
    Arch::store(exponents + j, Arch::fma(twice + twice, vec<Arch>(0.0f), Arch::to_float(exponent)));
    Arch::store(steps + j, Arch::from_bits((one - exponent) << 23) * vec<Arch>(most_of_value));
  }
};

} // namespace detail
} // namespace fovea::core::simd
