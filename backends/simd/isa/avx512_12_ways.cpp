#include "tables.hpp"
#include <fovea/backends/simd/kernels/product.hpp>

extern "C" constinit const fovea::simd::product_kernels fovea_product_kernels_avx512_12_ways = {
    .tasks = fovea::simd::product_tasks<fovea::simd::avx512>,
    .product = fovea::simd::product<fovea::simd::avx512>,
};
