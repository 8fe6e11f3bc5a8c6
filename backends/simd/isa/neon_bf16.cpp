#include "symbols.hpp"
#include <fovea/backends/simd/kernels/bfloat_dot.hpp>
#include <fovea/backends/simd/kernels/bfloat_values.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/sets/neon_bf16.hpp>

using namespace fovea::core::simd;

extern "C" constinit const rounding_kernel fovea_bf16_product_neon_bf16 =
    rounded_product_of<neon_bf16, detail::bfloat_dots<neon_bf16>>;
extern "C" constinit const kernel<bfloat_pack_args> fovea_pack_bfloats_neon_bf16 = {
    pack_bfloats_tasks<neon_bf16>, pack_bfloats<neon_bf16>};
