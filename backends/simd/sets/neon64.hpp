#pragma once

#include <fovea/backends/simd/sets/of_xsimd.hpp>

namespace fovea::core::simd {

/// NEON as every 64-bit ARM processor has it.
struct neon64 : of_xsimd<neon64, xsimd::neon64> {
  using narrower = neon64;
  static constexpr size_t registers = 32;

  // The instructions of this name give NaN, or the number, where one operand is NaN.
  static floats min(const floats& x, const floats& y) { return vbslq_f32(vcltq_f32(x, y), x, y); }
  static floats max(const floats& x, const floats& y) { return vbslq_f32(vcgtq_f32(x, y), x, y); }
  static integers min(const integers& x, const integers& y) { return vminq_s32(x, y); }
  static integers max(const integers& x, const integers& y) { return vmaxq_s32(x, y); }
  static floats floor(const floats& x) { return vrndmq_f32(x); }
  static floats trunc(const floats& x) { return vrndq_f32(x); }
  static floats copysign(const floats& x, const floats& sign) {
    return vbslq_f32(vdupq_n_u32(0x80000000u), sign, x);
  }

  static floats load_four_times(const float* from) { return vld1q_dup_f32(from); }
  static floats load_fours(const float* from, size_t) { return load(from); }

  static integers load_uint8(const unsigned char* from) {
    return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(four_bytes(from)))));
  }
  static integers load_int8(const unsigned char* from) {
    return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(four_bytes(from)))));
  }
  static integers load_uint16(const unsigned char* from) {
    return vreinterpretq_s32_u32(vmovl_u16(vreinterpret_u16_u8(vld1_u8(from))));
  }
  static floats load_half(const unsigned char* from) {
    return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(from)));
  }
  static void store_low_bytes(const integers& x, unsigned char* to) {
    const int16x4_t two = vmovn_s32(x);
    const std::uint32_t four = vget_lane_u32(vreinterpret_u32_s8(vmovn_s16(vcombine_s16(two, two))), 0);
    std::memcpy(to, &four, sizeof four);
  }

  template <bool of_4_bits>
  struct byte_dot {
    using sums = integers;
    static constexpr int excess = of_4_bits ? 3 : 0;
    using weights = integers;

    static weights ready(const integers& bytes) { return bytes; }
    static integers add(const integers& sum, const weights& w, const integers& numbers) {
      const int8x16_t a = vreinterpretq_s8_s32(w), b = vreinterpretq_s8_s32(numbers);
      const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b)), high = vmull_high_s8(a, b);
      return vpadalq_s16(sum, vpaddq_s16(low, high));
    }
  };

  template <class Vector>
  [[gnu::always_inline]] static Vector in_register(const Vector& x) {
    auto data = x.data;
    asm("" : "+w"(data));
    return Vector(data);
  }

private:
  static uint8x8_t four_bytes(const unsigned char* from) {
    std::uint32_t four;
    std::memcpy(&four, from, sizeof four);
    return vreinterpret_u8_u32(vdup_n_u32(four));
  }
};

} // namespace fovea::core::simd
