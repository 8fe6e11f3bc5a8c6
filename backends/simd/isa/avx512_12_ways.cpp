#include "tables.hpp"
#include <fovea/backends/simd/kernels/convolution.hpp>
#include <fovea/backends/simd/kernels/product.hpp>

extern "C" constinit const fovea::simd::product_kernels fovea_product_kernels_avx512_12_ways = {
    .product_tasks = fovea::simd::product_tasks<fovea::simd::avx512>,
    .product = fovea::simd::product<fovea::simd::avx512>,
    .convolution_tasks = fovea::simd::convolution_tasks<fovea::simd::avx512>,
    .convolution_scratch = fovea::simd::convolution_scratch<fovea::simd::avx512>,
    .convolution = fovea::simd::convolution<fovea::simd::avx512>,
};
