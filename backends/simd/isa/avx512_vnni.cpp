#include "tables.hpp"
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/sets/avx512_vnni.hpp>

extern "C" void fovea_integer_product_avx512_vnni(const fovea::core::simd::product_args& args,
                                                  fovea::core::simd::size_t first,
                                                  fovea::core::simd::size_t last) {
  fovea::core::simd::rounded_product<fovea::core::simd::avx512_vnni,
                                     fovea::core::simd::detail::byte_dots<fovea::core::simd::avx512_vnni>>(
      args, first, last);
}
