#include "tables.hpp"
#include <fovea/backends/simd/kernels/bfloat_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>

extern "C" void fovea_bf16_product_avx512_bf16(const fovea::simd::product_args& args,
                                               fovea::simd::size_t first, fovea::simd::size_t last) {
  fovea::simd::rounded_product<fovea::simd::avx512, fovea::simd::detail::bf16_dots>(args, first, last);
}
