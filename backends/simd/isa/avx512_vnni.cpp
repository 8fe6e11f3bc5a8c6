#include "symbols.hpp"
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/rounded_attention.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/sets/avx512_vnni.hpp>

using namespace fovea::core::simd;

extern "C" constinit const rounding_kernel fovea_integer_product_avx512_vnni =
    rounded_product_of<avx512_vnni, detail::byte_dots<avx512_vnni>>;
extern "C" constinit const rounding_kernel fovea_integer_k_product_avx512_vnni =
    rounded_product_of<avx512_vnni, detail::k_byte_dots<avx512_vnni>>;
extern "C" constinit const rounded_attention_kernel fovea_rounded_attention_avx512_vnni =
    rounded_attention_of<avx512_vnni>;
