#pragma once

// Of some processors with avx2: sums of integers by AVX_VNNI. Part of dispatch.cpp, which has `best`.

#include <cpuid.h>

namespace fovea::core::simd {

extern "C" {
extern const rounding_kernel fovea_integer_product_avx2_vnni, fovea_integer_k_product_avx2_vnni;
extern const rounded_attention_kernel fovea_rounded_attention_avx2_vnni;
}

namespace {

bool has_avx_vnni() {
  static const bool has = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 4) != 0;
  }();
  return has;
}

template <>
const rounding_kernel& best<kernel_name::integer_product, "avx2">(const rounding_kernel& plain) {
  return has_avx_vnni() ? fovea_integer_product_avx2_vnni : plain;
}
template <>
const rounding_kernel& best<kernel_name::integer_k_product, "avx2">(const rounding_kernel& plain) {
  return has_avx_vnni() ? fovea_integer_k_product_avx2_vnni : plain;
}
template <>
const rounded_attention_kernel&
best<kernel_name::rounded_attention, "avx2">(const rounded_attention_kernel& plain) {
  return has_avx_vnni() ? fovea_rounded_attention_avx2_vnni : plain;
}

} // namespace
} // namespace fovea::core::simd
