#include "tables.hpp"
#include <fovea/backends/simd/kernels/tile_product.hpp>

extern "C" constinit const fovea::simd::tile_kernels fovea_tile_kernels_avx512_amx = {
    .are_faster = fovea::simd::detail::tiles_are_faster,
    .scratch = fovea::simd::detail::tile_scratch,
    .round_tasks = fovea::simd::detail::round_tiles_tasks,
    .round = fovea::simd::detail::round_tiles,
    .product_tasks = fovea::simd::detail::tile_product_tasks,
    .product = fovea::simd::detail::tile_product,
};
