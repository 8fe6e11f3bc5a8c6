#include "symbols.hpp"
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/sets/avx512_12_ways.hpp>

using namespace fovea::core::simd;

extern "C" constinit const kernel<product_args> fovea_product_avx512_12_ways = {
    product_tasks<avx512_12_ways>, product<avx512_12_ways, detail::product_of::rows>};
