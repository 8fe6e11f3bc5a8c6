#include "tables.hpp"
#include <fovea/backends/simd/kernels/bfloat_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>

extern "C" void fovea_bf16_product_avx512_bf16(const fovea::core::simd::product_args& args,
                                               fovea::core::simd::size_t first,
                                               fovea::core::simd::size_t last) {
  fovea::core::simd::rounded_product<fovea::core::simd::avx512, fovea::core::simd::detail::bf16_dots>(
      args, first, last);
}
