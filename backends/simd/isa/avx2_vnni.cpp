#include "symbols.hpp"
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_attention.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/sets/avx2_vnni.hpp>

using namespace fovea::core::simd;

extern "C" constinit const rounding_kernel fovea_integer_product_avx2_vnni =
    rounded_product_of<avx2_vnni, detail::byte_dots<avx2_vnni>>;
extern "C" constinit const rounding_kernel fovea_integer_k_product_avx2_vnni =
    rounded_product_of<avx2_vnni, detail::k_byte_dots<avx2_vnni>>;
extern "C" constinit const rounded_attention_kernel fovea_rounded_attention_avx2_vnni =
    rounded_attention_of<avx2_vnni>;
