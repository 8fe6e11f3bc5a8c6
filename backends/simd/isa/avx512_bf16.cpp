#include "symbols.hpp"
#include <fovea/backends/simd/kernels/bfloat_dot.hpp>
#include <fovea/backends/simd/kernels/bfloat_values.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/sets/avx512_bf16.hpp>

using namespace fovea::core::simd;

extern "C" constinit const rounding_kernel fovea_bf16_product_avx512_bf16 =
    rounded_product_of<avx512_bf16, detail::bfloat_dots<avx512_bf16>>;
extern "C" constinit const kernel<bfloat_pack_args> fovea_pack_bfloats_avx512_bf16 = {
    pack_bfloats_tasks<avx512_bf16>, pack_bfloats<avx512_bf16>};
