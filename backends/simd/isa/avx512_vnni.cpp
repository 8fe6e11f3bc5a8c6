#include "tables.hpp"
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>

extern "C" void fovea_integer_product_avx512_vnni(const fovea::simd::product_args& args,
                                                  fovea::simd::size_t first, fovea::simd::size_t last) {
  fovea::simd::rounded_product<fovea::simd::avx512, fovea::simd::detail::vnni_dots>(args, first, last);
}
