#include "tables.hpp"
#include <fovea/backends/simd/kernels/tile_product.hpp>

extern "C" constinit const fovea::core::simd::tile_kernels fovea_tile_kernels_avx512_amx = {
    .are_faster = fovea::core::simd::detail::tiles_are_faster,
    .scratch = fovea::core::simd::detail::tile_scratch,
    .round_tasks = fovea::core::simd::detail::round_tiles_tasks,
    .round = fovea::core::simd::detail::round_tiles,
    .product_tasks = fovea::core::simd::detail::tile_product_tasks,
    .product = fovea::core::simd::detail::tile_product,
};
