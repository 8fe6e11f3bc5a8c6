#include "tables.hpp"
#include <fovea/backends/simd/kernels/bfloat_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/sets/avx512_bf16.hpp>

extern "C" void fovea_bf16_product_avx512_bf16(const fovea::core::simd::product_args& args,
                                               fovea::core::simd::size_t first,
                                               fovea::core::simd::size_t last) {
  fovea::core::simd::rounded_product<fovea::core::simd::avx512_bf16,
                                     fovea::core::simd::detail::bfloat_dots<fovea::core::simd::avx512_bf16>>(
      args, first, last);
}
