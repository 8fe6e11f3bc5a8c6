#pragma once

// The only symbols that the units compiled for one instruction set export. C linkage, because the build names
// them to objcopy when it makes every other symbol of those units local.

#include <fovea/backends/simd/kernels/table.hpp>

extern "C" {
extern const fovea::simd::kernel_table fovea_kernels_baseline;
extern const fovea::simd::kernel_table fovea_kernels_avx2;
extern const fovea::simd::kernel_table fovea_kernels_avx512;
/// integer_product of avx512, for processors that have AVX512_VNNI too.
void fovea_integer_product_avx512_vnni(const fovea::simd::product_args&, fovea::simd::size_t first,
                                       fovea::simd::size_t last);
/// bf16_product, where it has AVX512_BF16.
void fovea_bf16_product_avx512_bf16(const fovea::simd::product_args&, fovea::simd::size_t first,
                                    fovea::simd::size_t last);
}
