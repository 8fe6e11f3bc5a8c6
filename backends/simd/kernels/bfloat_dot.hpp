#pragma once

// Dot products of two bfloat16 in each 32-bit lane, as byte_dot.hpp has them of four bytes.

#include <bit>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/narrow.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core::simd::detail {

/// By float32's arithmetic.
template <class Arch>
struct bfloat_dot {
  using sums = vec<Arch>;
  struct weights {
    vec<Arch> first, second;
  };

  static weights ready(const int_vec<Arch>& two) {
    const int_vec<Arch> upper(static_cast<std::int32_t>(0xffff0000u));
    return {from_bits<Arch>(two << 16), from_bits<Arch>(two & upper)};
  }
  static vec<Arch> add(const vec<Arch>& sum, const weights& w, const int_vec<Arch>& two) {
    const weights x = ready(two);
    return fma<Arch>(x.second, w.second, fma<Arch>(x.first, w.first, sum));
  }
};

template <class Arch>
struct bfloat_dots {
  static constexpr bool takes(weight_format format) { return rounds_rows(format) && !sums_integers(format); }
  template <class>
  using of = bfloat_dot<Arch>;
};

#ifdef __AVX512BF16__
/// By the instruction that is made for it, which takes subnormal numbers for zero.
struct bf16_dot {
  using sums = vec<avx512>;
  using weights = int_vec<avx512>;

  static weights ready(const int_vec<avx512>& two) { return two; }
  static vec<avx512> add(const vec<avx512>& sum, const weights& w, const int_vec<avx512>& two) {
    return _mm512_dpbf16_ps(sum, std::bit_cast<__m512bh>(static_cast<__m512i>(two)),
                            std::bit_cast<__m512bh>(static_cast<__m512i>(w)));
  }
};

struct bf16_dots {
  static constexpr bool takes(weight_format format) { return rounds_rows(format) && !sums_integers(format); }
  template <class>
  using of = bf16_dot;
};
#endif

} // namespace fovea::core::simd::detail
