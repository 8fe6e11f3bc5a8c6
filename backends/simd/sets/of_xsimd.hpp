#pragma once

// What xsimd has for a set, by our names. Debian 12 has xsimd 8.1, later releases renamed and added functions.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <fovea/backends/simd/sets/from_others.hpp>

// The AVX-512 header of g++ 12 warns of its own undefined vectors (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif

namespace fovea::core::simd {

template <class Set, class Arch>
struct of_xsimd : from_others<Set> {
  using floats = xsimd::batch<float, Arch>;
  using integers = xsimd::batch<std::int32_t, Arch>;
  using mask = xsimd::batch_bool<float, Arch>;
  using mask_of_integers = xsimd::batch_bool<std::int32_t, Arch>;

  static floats fma(const floats& x, const floats& y, const floats& z) { return xsimd::fma(x, y, z); }
  static floats min(const floats& x, const floats& y) { return xsimd::min(x, y); }
  static floats max(const floats& x, const floats& y) { return xsimd::max(x, y); }
  static floats abs(const floats& x) { return xsimd::abs(x); }
  static floats sqrt(const floats& x) { return xsimd::sqrt(x); }
  static floats floor(const floats& x) { return xsimd::floor(x); }
  static floats trunc(const floats& x) { return xsimd::trunc(x); }
  static floats copysign(const floats& x, const floats& sign) { return xsimd::copysign(x, sign); }
  static floats select(const mask& m, const floats& yes, const floats& no) {
    return xsimd::select(m, yes, no);
  }

  static integers min(const integers& x, const integers& y) { return xsimd::min(x, y); }
  static integers max(const integers& x, const integers& y) { return xsimd::max(x, y); }
  static integers abs(const integers& x) { return xsimd::abs(x); }
  static integers select(const mask_of_integers& m, const integers& yes, const integers& no) {
    return xsimd::select(m, yes, no);
  }

  static floats to_float(const integers& x) { return xsimd::to_float(x); }
  static integers bits(const floats& x) { return std::bit_cast<typename integers::register_type>(x.data); }
  static floats from_bits(const integers& x) { return std::bit_cast<typename floats::register_type>(x.data); }
  static mask float_mask(const mask& m) { return m; }
  static mask float_mask(const mask_of_integers& m) {
    return std::bit_cast<typename mask::register_type>(m.data);
  }
  static mask_of_integers integer_mask(const mask& m) {
    return std::bit_cast<typename mask_of_integers::register_type>(m.data);
  }

  static integers load_bytes(const unsigned char* from) {
    return integers::load_unaligned(reinterpret_cast<const std::int32_t*>(from));
  }

  static floats log(const floats& x) { return xsimd::log(x); }
  static floats sin(const floats& x) { return xsimd::sin(x); }
  static floats cos(const floats& x) { return xsimd::cos(x); }
  static floats power(const floats& x, const floats& y) {
    using doubles = xsimd::batch<double, Arch>;
    constexpr size_t lanes = floats::size;
    alignas(64) float base[lanes], exponent[lanes], made[lanes];
    alignas(64) double wide_base[lanes], wide_exponent[lanes], wide_made[lanes];
    x.store_aligned(base);
    y.store_aligned(exponent);
    for (size_t i = 0; i < lanes; ++i) wide_base[i] = base[i];
    for (size_t i = 0; i < lanes; ++i) wide_exponent[i] = exponent[i];
    for (size_t i = 0; i < lanes; i += doubles::size) {
      const doubles logarithm = xsimd::log(doubles::load_aligned(wide_base + i));
      xsimd::exp(doubles::load_aligned(wide_exponent + i) * logarithm).store_aligned(wide_made + i);
    }
    for (size_t i = 0; i < lanes; ++i) made[i] = static_cast<float>(wide_made[i]);
    return floats::load_aligned(made);
  }
};

} // namespace fovea::core::simd
