#pragma once

// Dot products of bytes by the instruction of x86-64 that multiplies bytes without a sign by bytes with one, and adds
// the products two by two to numbers of 16 bits, which saturate.

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

namespace fovea::core::simd {

/// What kernels/byte_dot.hpp asks for. A set has, of vectors of bytes and of 16 bits:
///   multiply_bytes(w, x)  that instruction
///   add_shorts(x, y)      sums
///   sum_shorts(x)         sums of the two in each lane of 32 bits
///   magnitudes(x), with_signs(x, of)  of bytes
template <class Set, bool of_4_bits>
struct pair_dot {
  using sums = typename Set::integers;
  using weights = sums;
  static constexpr int excess = 3;

  static weights ready(const sums& bytes) { return bytes; }
  static sums pairs(const weights& w, const sums& numbers) { return Set::multiply_bytes(w, numbers); }
  // In registers: else compilers add up first what they add to a sum, for which they have too few.
  static sums add_pairs(const sums& x, const sums& y) { return Set::in_register(Set::add_shorts(x, y)); }
  static sums add_sum_of_pairs(const sums& sum, const sums& x) {
    return Set::in_register(sum + Set::sum_shorts(x));
  }
  static sums add(const sums& sum, const weights& w, const sums& numbers) {
    return add_sum_of_pairs(sum, pairs(w, numbers));
  }
};

template <class Set>
struct pair_dot<Set, false> {
  using sums = typename Set::integers;
  static constexpr int excess = 0;
  struct weights {
    sums bytes, magnitudes;
  };

  static weights ready(const sums& bytes) { return {bytes, Set::magnitudes(bytes)}; }
  static sums add(const sums& sum, const weights& w, const sums& numbers) {
    return limited::add_sum_of_pairs(sum,
                                     Set::multiply_bytes(w.magnitudes, Set::with_signs(numbers, w.bytes)));
  }

  struct limited : pair_dot<Set, true> {
    static constexpr int excess = 7;

    static sums ready(const sums& bytes) { return bytes ^ sums(static_cast<std::int32_t>(0x80808080u)); }
    static unsigned beyond(const unsigned char* numbers) {
      const auto half = [&](int i) {
        const int which = beyond_in(_mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers + 16 * i)));
        return static_cast<unsigned>((which & 0xf) != 0) | static_cast<unsigned>((which & 0xf00) != 0) << 1;
      };
      return half(0) | half(1) << 2;
    }
    static bool beyond_of_8(const unsigned char* numbers) { return (beyond_in(eight(numbers)) & 0xf) != 0; }
    static void halve(unsigned char* from, unsigned char* to) {
      const __m128i x = _mm_cvtepi8_epi16(eight(from)),
                    half = _mm_srai_epi16(_mm_add_epi16(x, _mm_srli_epi16(x, 15)), 1), // towards zero
          both = _mm_packs_epi16(_mm_sub_epi16(x, half), half);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(from), both);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_unpackhi_epi64(both, both));
    }

  private:
    static __m128i eight(const unsigned char* numbers) {
      return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(numbers));
    }
    /// Of two times eight numbers: the lowest four bits of each eight say which of them are beyond.
    static int beyond_in(const __m128i& x) {
      const __m128i zero = _mm_setzero_si128();
      const auto sums_of =
          [&](const __m128i& side) { // the first two of four numbers of 16 bits are sums of fours
            const __m128i twos = _mm_maddubs_epi16(_mm_max_epi8(side, zero), _mm_set1_epi8(1));
            return _mm_add_epi16(twos, _mm_srli_epi64(twos, 32));
          };
      const __m128i most = _mm_max_epi16(sums_of(x), sums_of(_mm_sub_epi8(zero, x)));
      return _mm_movemask_epi8(_mm_cmpgt_epi16(most, _mm_set1_epi16(128)));
    }
  };
};

} // namespace fovea::core::simd
