#include "tables.hpp"
#include <fovea/backends/simd/kernels/table_of.hpp>

extern "C" constinit const fovea::core::simd::kernel_table fovea_kernels_portable =
    fovea::core::simd::table_of<fovea::core::simd::portable>("portable");
