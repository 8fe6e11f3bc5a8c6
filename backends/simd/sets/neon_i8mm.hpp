#pragma once

#include <fovea/backends/simd/sets/neon_dotprod.hpp>

namespace fovea::core::simd {

/// And the products of matrices of bytes of ARMv8.6: of two rows and two columns, eight deep.
struct neon_i8mm : neon_dotprod {
  template <bool of_4_bits>
  struct byte_dot : neon_dotprod::byte_dot<of_4_bits> {
    struct two_rows {
      struct two {
        integers first, second;
      };
      static two ready(const integers& w, const integers& next) {
        return {integers(vzip1q_s32(w.data, next.data)), integers(vzip2q_s32(w.data, next.data))};
      }
      static integers add(const integers& sum, const integers& half, const integers& numbers) {
        return integers(
            vmmlaq_s32(sum.data, vreinterpretq_s8_s32(numbers.data), vreinterpretq_s8_s32(half.data)));
      }
      static two turned(const integers& x, const integers& y) {
        const int64x2_t a = vreinterpretq_s64_s32(x.data), b = vreinterpretq_s64_s32(y.data);
        return {integers(vreinterpretq_s32_s64(vzip1q_s64(a, b))),
                integers(vreinterpretq_s32_s64(vzip2q_s64(a, b)))};
      }
    };
  };
};

} // namespace fovea::core::simd
