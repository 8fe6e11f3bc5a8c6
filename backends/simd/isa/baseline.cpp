#include "tables.hpp"
#include <fovea/backends/simd/kernels/table_of.hpp>

extern "C" constinit const fovea::simd::kernel_table fovea_kernels_baseline =
    fovea::simd::table_of<fovea::simd::baseline>("baseline");
