#include "tables.hpp"
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>

extern "C" void fovea_integer_product_avx512_vnni(const fovea::core::simd::product_args& args,
                                                  fovea::core::simd::size_t first,
                                                  fovea::core::simd::size_t last) {
  fovea::core::simd::rounded_product<fovea::core::simd::avx512, fovea::core::simd::detail::vnni_dots>(
      args, first, last);
}
