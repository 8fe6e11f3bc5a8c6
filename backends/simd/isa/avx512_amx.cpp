#include "symbols.hpp"
#include <fovea/backends/simd/kernels/tile_product.hpp>

using namespace fovea::core::simd;

extern "C" constinit const rounding_passes fovea_tiles_avx512_amx = {
    .are_faster = detail::tiles_are_faster,
    .scratch = detail::tile_scratch,
    .round_tasks = detail::round_tiles_tasks,
    .round = detail::round_tiles,
    .product_tasks = detail::tile_product_tasks,
    .product = detail::tile_product,
};
