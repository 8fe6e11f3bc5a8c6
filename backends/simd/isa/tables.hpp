#pragma once

// The only symbols that the units compiled for one instruction set export. C linkage, because the build names
// them to objcopy when it makes every other symbol of those units local.

#include <fovea/backends/simd/kernels/table.hpp>

namespace fovea::core::simd {

/// Products by float32 weights.
struct product_kernels {
  decltype(kernel_table::product_tasks) tasks;
  decltype(kernel_table::product) product;
};

} // namespace fovea::core::simd

extern "C" {
extern const fovea::core::simd::kernel_table fovea_kernels_portable;
extern const fovea::core::simd::kernel_table fovea_kernels_baseline;
extern const fovea::core::simd::kernel_table fovea_kernels_avx2;
extern const fovea::core::simd::kernel_table fovea_kernels_avx512;
/// Of avx512, for first-level caches of twelve ways.
extern const fovea::core::simd::product_kernels fovea_product_kernels_avx512_12_ways;
/// integer_product of avx512, for processors that have AVX512_VNNI too.
void fovea_integer_product_avx512_vnni(const fovea::core::simd::product_args&,
                                       fovea::core::simd::size_t first, fovea::core::simd::size_t last);
/// bf16_product, where it has AVX512_BF16.
void fovea_bf16_product_avx512_bf16(const fovea::core::simd::product_args&, fovea::core::simd::size_t first,
                                    fovea::core::simd::size_t last);
/// The tiles of avx512, where it has AMX_INT8, AMX_BF16 and AVX512_BF16.
extern const fovea::core::simd::tile_kernels fovea_tile_kernels_avx512_amx;
}
