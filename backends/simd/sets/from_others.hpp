#pragma once

// Primitives that are made of a set's others. A set that has an instruction for one has its own, which hides
// this.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fovea/base/half.hpp>

namespace fovea::core::simd {

using std::size_t;

template <class Set>
struct from_others {
  static constexpr size_t cache_ways = 8;
  static constexpr bool fuses = false;

  static auto load(const float* from) { return Set::floats::load_unaligned(from); }
  static void store(float* to, const auto& x) { x.store_unaligned(to); }

  static auto load_first(const float* from, size_t count, float fill = 0) {
    alignas(64) float lanes[Set::floats::size];
    for (size_t i = 0; i < Set::floats::size; ++i) lanes[i] = i < count ? from[i] : fill;
    return Set::floats::load_aligned(lanes);
  }
  static void store_first(float* to, const auto& x, size_t count) {
    alignas(64) float lanes[Set::floats::size];
    x.store_aligned(lanes);
    for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
  }

  static auto load_bfloat(const unsigned char* from) { return Set::from_bits(Set::load_uint16(from) << 16); }
  static auto load_half(const unsigned char* from) { // as from_half of one
    using floats = typename Set::floats;
    using integers = typename Set::integers;
    const integers half = Set::load_uint16(from);
    const integers magnitude = Set::bits(Set::from_bits((half & integers(0x7fff)) << 13) * floats(0x1p112f));
    return Set::from_bits(magnitude | (half & integers(0x8000)) << 16);
  }
  /// The nearest bfloat16, as a float; of NaN the first bits, one of which is set in all that sums make.
  static auto nearest_bfloat(const auto& x) {
    using integers = typename Set::integers;
    const integers bits = Set::bits(x), odd = bits >> 16 & integers(1);
    const auto rounded = Set::from_bits(bits + integers(0x7fff) + odd);
    const auto nan = Set::from_bits(bits | integers(0x400000));
    const integers upper(static_cast<std::int32_t>(0xffff0000u));
    return Set::from_bits(Set::bits(Set::select(x == x, rounded, nan)) & upper);
  }
  static void store_bfloat(const auto& x, unsigned char* to) {
    constexpr size_t count = Set::floats::size;
    alignas(64) float lanes[count];
    nearest_bfloat(x).store_aligned(lanes);
    std::uint16_t narrow[count];
    for (size_t i = 0; i < count; ++i)
      narrow[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(lanes[i]) >> 16);
    std::memcpy(to, narrow, sizeof narrow);
  }

  static auto nibble_less_8(const auto& x, int shift) {
    using integers = typename Set::integers;
    return Set::to_float((shift == 0 ? x & integers(15) : x >> shift) - integers(8));
  }

  /// By float32's arithmetic, of rows in float32.
  struct bfloat_dot {
    static constexpr bool in_float32 = true;
    using floats = typename Set::floats;
    using integers = typename Set::integers;
    using sums = floats;
    struct weights {
      floats first, second;
    };

    static weights ready(const integers& two) {
      const integers upper(static_cast<std::int32_t>(0xffff0000u));
      return {Set::from_bits(two << 16), Set::from_bits(two & upper)};
    }
    static floats add(const floats& sum, const weights& w, const float* two) {
      return Set::fma(floats(two[1]), w.second, Set::fma(floats(two[0]), w.first, sum));
    }
  };
};

} // namespace fovea::core::simd
