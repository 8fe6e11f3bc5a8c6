#pragma once

// Of some processors with avx512: products for first-level caches of twelve ways, sums of integers by AVX512_VNNI, of
// bfloat16 by AVX512_BF16, tiles by AMX_INT8, AMX_BF16 and AVX512_BF16. Part of dispatch.cpp, which has `best`.

#include <cpuid.h>
#include <fovea/base/system/processors.hpp>

namespace fovea::core::simd {

extern "C" {
extern const kernel<product_args> fovea_product_avx512_12_ways;
extern const rounding_kernel fovea_integer_product_avx512_vnni, fovea_integer_k_product_avx512_vnni,
    fovea_bf16_product_avx512_bf16;
extern const rounded_attention_kernel fovea_rounded_attention_avx512_vnni;
extern const kernel<bfloat_pack_args> fovea_pack_bfloats_avx512_bf16;
extern const rounding_passes fovea_tiles_avx512_amx;
}

namespace {

/// Whether the processor has AMX for bytes and bfloat16, and the system grants its registers.
bool may_use_tiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bf16 = 1u << 22, tile = 1u << 24, int8 = 1u << 25, all = bf16 | tile | int8;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & all) == all && system::grant_tiles();
}

/// Whether the first-level data cache has twelve ways or more, on processors of Intel.
bool has_wide_cache() { return __builtin_cpu_is("intel") && system::cache_ways() >= 12; }

template <>
const kernel_type<kernel_name::product>&
best<kernel_name::product, "avx512">(const kernel<product_args>& plain) {
  static const bool wide = has_wide_cache();
  return wide ? fovea_product_avx512_12_ways : plain;
}
/// With tiles where they may be used.
rounding_kernel rounding(bool has_own, const rounding_kernel& own, const rounding_kernel& plain) {
  rounding_kernel made = has_own ? own : plain;
  if (__builtin_cpu_supports("avx512bf16") && may_use_tiles())
    made.passes = &fovea_tiles_avx512_amx, made.in_float32 = false;
  return made;
}
template <>
const rounding_kernel& best<kernel_name::integer_product, "avx512">(const rounding_kernel& plain) {
  static const rounding_kernel made =
      rounding(__builtin_cpu_supports("avx512vnni"), fovea_integer_product_avx512_vnni, plain);
  return made;
}
template <>
const rounding_kernel& best<kernel_name::integer_k_product, "avx512">(const rounding_kernel& plain) {
  return __builtin_cpu_supports("avx512vnni") ? fovea_integer_k_product_avx512_vnni : plain;
}
template <>
const rounded_attention_kernel&
best<kernel_name::rounded_attention, "avx512">(const rounded_attention_kernel& plain) {
  return __builtin_cpu_supports("avx512vnni") ? fovea_rounded_attention_avx512_vnni : plain;
}
/// Intel's dot products of bfloat16 multiply half as many numbers in the same time as float32's multiply-adds
/// (Emerald Rapids, 44 in place of 85 thousand million a second).
template <>
const rounding_kernel& best<kernel_name::bf16_product, "avx512">(const rounding_kernel& plain) {
  static const rounding_kernel made =
      rounding(__builtin_cpu_supports("avx512bf16") && !__builtin_cpu_is("intel"),
               fovea_bf16_product_avx512_bf16, plain);
  return made;
}
template <>
const kernel<bfloat_pack_args>&
best<kernel_name::pack_bfloats, "avx512">(const kernel<bfloat_pack_args>& plain) {
  return __builtin_cpu_supports("avx512bf16") ? fovea_pack_bfloats_avx512_bf16 : plain;
}

} // namespace
} // namespace fovea::core::simd
