#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace fovea::core::simd {

template <class T, class Set>
concept gives_floats = std::same_as<T, typename Set::floats>;
template <class T, class Set>
concept gives_integers = std::same_as<T, typename Set::integers>;
template <class T, class Set>
concept gives_mask = std::same_as<T, typename Set::mask>;

/// What kernels ask of an instruction set, a struct in a header of this folder: vectors, and functions of
/// them. Kernels are templates over it and name no instruction. from_others.hpp has those marked *.
template <class Set>
concept instruction_set = requires(typename Set::floats x, typename Set::integers n, typename Set::mask m,
                                   const float* from, float* to, const std::int32_t* integers,
                                   std::int32_t* to_integers, const unsigned char* bytes,
                                   unsigned char* to_bytes, std::size_t count) {
  // Vectors of 4, 8, 16, ... floats and as many 32-bit integers, whose memory is a vector of the compiler's.
  // Masks are what comparisons give; those of integers may have a type of their own.
  typename Set::floats::register_type;
  requires Set::floats::size % 4 == 0;
  requires Set::floats::size == Set::integers::size;
  { Set::floats::load_aligned(from) } -> gives_floats<Set>;
  { Set::floats::load_unaligned(from) } -> gives_floats<Set>;
  { Set::integers::load_aligned(integers) } -> gives_integers<Set>;
  { Set::integers::load_unaligned(integers) } -> gives_integers<Set>;
  x.store_aligned(to), x.store_unaligned(to);
  n.store_aligned(to_integers), n.store_unaligned(to_integers);
  { x.get(count) } -> std::same_as<float>;
  x = typename Set::floats(1.f), x + x, x - x, x * x, x / x, -x, x += x, x -= x;
  n = typename Set::integers(1), n + n, n - n, n * n, n & n, n | n, n ^ n, n << 1, n >> 1;
  m = typename Set::mask(true), !m, m & m, m && m, m || m;
  m = (x < x), m = (x <= x), m = (x > x), m = (x >= x), m = (x == x), m = (x != x);
  n < n, n <= n, n == n, n != n, (n >= n) && (n < n);

  // Arithmetic. min and max give their second operand where one is NaN.
  { Set::fma(x, x, x) } -> gives_floats<Set>; // x y + z, one rounding where it can
  { Set::min(x, x) } -> gives_floats<Set>;
  { Set::max(x, x) } -> gives_floats<Set>;
  { Set::abs(x) } -> gives_floats<Set>;
  { Set::sqrt(x) } -> gives_floats<Set>;
  { Set::floor(x) } -> gives_floats<Set>;
  { Set::trunc(x) } -> gives_floats<Set>;
  { Set::copysign(x, x) } -> gives_floats<Set>;
  { Set::min(n, n) } -> gives_integers<Set>;
  { Set::max(n, n) } -> gives_integers<Set>;
  { Set::abs(n) } -> gives_integers<Set>;
  { Set::log(x) } -> gives_floats<Set>; // as math.hpp bounds their errors
  { Set::sin(x) } -> gives_floats<Set>;
  { Set::cos(x) } -> gives_floats<Set>;
  { Set::power(x, x) } -> gives_floats<Set>; // e^(y log x) in double, for x >= 0

  // Choice, and what the same bits are otherwise.
  { Set::select(m, x, x) } -> gives_floats<Set>; // the first where the mask is set
  { Set::select(n < n, n, n) } -> gives_integers<Set>;
  { Set::float_mask(n < n) } -> gives_mask<Set>;
  { Set::float_mask(m) } -> gives_mask<Set>;
  Set::select(Set::integer_mask(m), n, n);
  { Set::bits(x) } -> gives_integers<Set>;
  { Set::from_bits(n) } -> gives_floats<Set>;
  { Set::to_float(n) } -> gives_floats<Set>;

  // Memory. `count` <= size; no byte past what is named is touched.
  { Set::load(from) } -> gives_floats<Set>;                   // *
  { Set::load_first(from, count) } -> gives_floats<Set>;      // * 0 in the other lanes
  { Set::load_first(from, count, 1.f) } -> gives_floats<Set>; // * or this
  Set::store(to, x);                                          // *
  Set::store_first(to, x, count);                             // *
  { Set::load_four_times(from) } -> gives_floats<Set>;        // the first size / 4, each four times
  { Set::load_fours(from, count) } -> gives_floats<Set>;      // four at each of size / 4 places
  // x, certainly in a register: compilers else load a vector anew for each use, as an operand in memory.
  { Set::in_register(x) } -> gives_floats<Set>;

  // Narrow numbers in memory, as many as a vector has lanes.
  { Set::load_bytes(bytes) } -> gives_integers<Set>; // four in each lane
  { Set::load_uint8(bytes) } -> gives_integers<Set>;
  { Set::load_int8(bytes) } -> gives_integers<Set>;
  { Set::load_uint16(bytes) } -> gives_integers<Set>;
  { Set::load_half(bytes) } -> gives_floats<Set>;   // * finite ones
  { Set::load_bfloat(bytes) } -> gives_floats<Set>; // *
  Set::store_bfloat(x, to_bytes);                   // * rounded to the nearest, then to even
  { Set::nearest_bfloat(x) } -> gives_floats<Set>;  // * the same as a float
  Set::store_low_bytes(n, to_bytes);                // of each lane the lowest
  // * Four bits of each lane from bit 0 or 4 on, with nothing above them where that is 4: the number less 8.
  { Set::nibble_less_8(n, 4) } -> gives_floats<Set>;

  // Dot products in each lane, of four bytes and of two bfloat16 (*): see kernels/byte_dot.hpp, bfloat_dot.hpp.
  Set::template byte_dot<true>::add(n, Set::template byte_dot<true>::ready(n), n);
  Set::template byte_dot<false>::add(n, Set::template byte_dot<false>::ready(n), n);
  requires requires { Set::bfloat_dot::add(x, Set::bfloat_dot::ready(n), n); } || requires {
    Set::bfloat_dot::add(x, Set::bfloat_dot::ready(n), from);
  };

  // Where a set multiplies numbers of 16 bits faster than float32 it has pair_shorts and dot_shorts, too: see
  // kernels/rounded_tile.hpp.

  // For kernels to choose by: the vectors that a processor has names for, the ways of its first-level cache
  // (*), whether its fma surely rounds once (*), and a set with half the vector that it has too; the same where
  // that would lose its fused multiply-add.
  { Set::registers } -> std::convertible_to<std::size_t>;
  { Set::cache_ways } -> std::convertible_to<std::size_t>;
  { Set::fuses } -> std::convertible_to<bool>;
  typename Set::narrower;
};

} // namespace fovea::core::simd
