#pragma once

#include <fovea/backends/simd/sets/of_compiler.hpp>
#include <wasm_simd128.h>

namespace fovea::core::simd {

/// WebAssembly's vectors of 128 bits, which have no fused multiply-add that is the same everywhere.
struct simd128 : of_compiler<simd128> {
  using narrower = simd128;
  static constexpr size_t registers = 16; // of the x86-64 processors that engines compile for

  // Each an instruction where engines know min and max of this kind: the second operand where one is NaN.
  static floats min(const floats& x, const floats& y) { return floats_of(wasm_f32x4_pmin(y.data, x.data)); }
  static floats max(const floats& x, const floats& y) { return floats_of(wasm_f32x4_pmax(y.data, x.data)); }
  static integers min(const integers& x, const integers& y) {
    return integers_of(wasm_i32x4_min(x.data, y.data));
  }
  static integers max(const integers& x, const integers& y) {
    return integers_of(wasm_i32x4_max(x.data, y.data));
  }
  static floats sqrt(const floats& x) { return floats_of(wasm_f32x4_sqrt(x.data)); }
  static floats floor(const floats& x) { return floats_of(wasm_f32x4_floor(x.data)); }
  static floats trunc(const floats& x) { return floats_of(wasm_f32x4_trunc(x.data)); }

  template <bool of_4_bits>
  struct byte_dot {
    using sums = integers;
    static constexpr int excess = of_4_bits ? 3 : 0;
    struct weights {
      v128_t even, odd; // numbers of 16 bits, two in a lane
    };

    static weights ready(const integers& bytes) {
      const v128_t all = bytes.data;
      return {wasm_i16x8_shr(wasm_i16x8_shl(all, 8), 8), wasm_i16x8_shr(all, 8)};
    }
    static integers add(const integers& sum, const weights& w, const integers& numbers) {
      const weights x = ready(numbers);
      const v128_t even = wasm_i32x4_dot_i16x8(w.even, x.even), odd = wasm_i32x4_dot_i16x8(w.odd, x.odd);
      return sum + integers_of(even) + integers_of(odd);
    }
  };

private:
  static floats floats_of(v128_t x) { return floats(std::bit_cast<four_floats>(x)); }
  static integers integers_of(v128_t x) { return integers(std::bit_cast<four_integers>(x)); }
};

} // namespace fovea::core::simd
