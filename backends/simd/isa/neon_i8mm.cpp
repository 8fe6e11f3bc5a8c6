#include "symbols.hpp"
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/sets/neon_i8mm.hpp>

using namespace fovea::core::simd;

extern "C" constinit const rounding_kernel fovea_integer_product_neon_i8mm =
    rounded_product_of<neon_i8mm, detail::byte_dots<neon_i8mm>>;
extern "C" constinit const rounding_kernel fovea_integer_k_product_neon_i8mm =
    rounded_product_of<neon_i8mm, detail::k_byte_dots<neon_i8mm>>;
