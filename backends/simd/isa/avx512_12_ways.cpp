#include "tables.hpp"
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/sets/avx512_12_ways.hpp>

extern "C" constinit const fovea::core::simd::product_kernels fovea_product_kernels_avx512_12_ways = {
    .tasks = fovea::core::simd::product_tasks<fovea::core::simd::avx512_12_ways>,
    .product = fovea::core::simd::product<fovea::core::simd::avx512_12_ways>,
};
