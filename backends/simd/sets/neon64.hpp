#pragma once

#include <fovea/backends/simd/sets/of_compiler.hpp>
#include <fovea/backends/simd/sets/of_xsimd.hpp>

namespace fovea::core::simd {

/// NEON as every 64-bit ARM processor has it. xsimd 8.1 divides and takes roots by estimates; the compiler does not.
struct neon64 : of_compiler<neon64> {
  using narrower = neon64;
  static constexpr size_t registers = 32;
  static constexpr bool fuses = true;

  static floats fma(const floats& x, const floats& y, const floats& z) {
    return floats(vfmaq_f32(z.data, x.data, y.data));
  }
  /// x * y[lane] + z
  template <int lane>
  static floats fma_lane(const floats& x, const floats& y, const floats& z) {
    return floats(vfmaq_laneq_f32(z.data, x.data, y.data, lane));
  }
  static floats sqrt(const floats& x) { return floats(vsqrtq_f32(x.data)); }
  static floats floor(const floats& x) { return floats(vrndmq_f32(x.data)); }
  static floats trunc(const floats& x) { return floats(vrndq_f32(x.data)); }
  static floats log(const floats& x) { return of_batch(by_xsimd::log(batch(x.data))); }
  static floats sin(const floats& x) { return of_batch(by_xsimd::sin(batch(x.data))); }
  static floats cos(const floats& x) { return of_batch(by_xsimd::cos(batch(x.data))); }
  static floats power(const floats& x, const floats& y) {
    return of_batch(by_xsimd::power(batch(x.data), batch(y.data)));
  }

  static floats load_first(const float* from, size_t count, float fill = 0) {
    if (count == floats::size) return load(from);
    float32x4_t x = vdupq_n_f32(fill);
    if (count == 1) x = vld1q_lane_f32(from, x, 0);
    if (count >= 2) x = vcombine_f32(vld1_f32(from), vget_high_f32(x));
    if (count == 3) x = vld1q_lane_f32(from + 2, x, 2);
    return floats(x);
  }
  static void store_first(float* to, const floats& x, size_t count) {
    if (count == floats::size) return store(to, x);
    if (count == 1) vst1q_lane_f32(to, x.data, 0);
    if (count >= 2) vst1_f32(to, vget_low_f32(x.data));
    if (count == 3) vst1q_lane_f32(to + 2, x.data, 2);
  }
  static floats load_half(const unsigned char* from) {
    return floats(vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(from))));
  }

  template <bool of_4_bits>
  struct byte_dot {
    using sums = integers;
    static constexpr int excess = of_4_bits ? 3 : 0;
    using weights = integers;

    static weights ready(const integers& bytes) { return bytes; }
    static integers add(const integers& sum, const weights& w, const integers& numbers) {
      const int8x16_t a = vreinterpretq_s8_s32(w.data), b = vreinterpretq_s8_s32(numbers.data);
      const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b)), high = vmull_high_s8(a, b);
      return integers(vpadalq_s16(sum.data, vpaddq_s16(low, high)));
    }
  };

  template <class Vector>
  [[gnu::always_inline]] static Vector in_register(const Vector& x) {
    auto data = x.data;
    asm("" : "+w"(data));
    return Vector(data);
  }

private:
  using by_xsimd = of_xsimd<neon64, xsimd::neon64>;
  using batch = by_xsimd::floats;
  static floats of_batch(const batch& x) { return floats(x.data); }
};

} // namespace fovea::core::simd
