#pragma once

// Of most processors of 64-bit ARM: sums of bytes, of two rows at once on newer ones, and of bfloat16 by instructions
// made for them. Part of dispatch.cpp, which has `best`.

#include <fovea/base/system/processors.hpp>

namespace fovea::core::simd {

extern "C" {
extern const rounding_kernel fovea_integer_product_neon_i8mm, fovea_integer_product_neon_dotprod,
    fovea_integer_k_product_neon_i8mm, fovea_integer_k_product_neon_dotprod, fovea_bf16_product_neon_bf16;
extern const kernel<bfloat_pack_args> fovea_pack_bfloats_neon_bf16;
}

namespace {

template <>
const rounding_kernel& best<kernel_name::integer_product, "neon64">(const rounding_kernel& plain) {
  static const system::arm_extensions has = system::extensions_of_arm();
  return !has.dot_products ? plain
         : has.two_rows    ? fovea_integer_product_neon_i8mm
                           : fovea_integer_product_neon_dotprod;
}
template <>
const rounding_kernel& best<kernel_name::integer_k_product, "neon64">(const rounding_kernel& plain) {
  static const system::arm_extensions has = system::extensions_of_arm();
  return !has.dot_products ? plain
         : has.two_rows    ? fovea_integer_k_product_neon_i8mm
                           : fovea_integer_k_product_neon_dotprod;
}
template <>
const rounding_kernel& best<kernel_name::bf16_product, "neon64">(const rounding_kernel& plain) {
  static const bool has = system::extensions_of_arm().bf16;
  return has ? fovea_bf16_product_neon_bf16 : plain;
}
template <>
const kernel<bfloat_pack_args>&
best<kernel_name::pack_bfloats, "neon64">(const kernel<bfloat_pack_args>& plain) {
  static const bool has = system::extensions_of_arm().bf16;
  return has ? fovea_pack_bfloats_neon_bf16 : plain;
}

} // namespace
} // namespace fovea::core::simd
