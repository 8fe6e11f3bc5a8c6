#include "symbols.hpp"
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/sets/neon_dotprod.hpp>

using namespace fovea::core::simd;

extern "C" constinit const rounding_kernel fovea_integer_product_neon_dotprod =
    rounded_product_of<neon_dotprod, detail::byte_dots<neon_dotprod>>;
extern "C" constinit const rounding_kernel fovea_integer_k_product_neon_dotprod =
    rounded_product_of<neon_dotprod, detail::k_byte_dots<neon_dotprod>>;
