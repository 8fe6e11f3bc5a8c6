#include "tables.hpp"
#include <fovea/backends/simd/kernels/table_of.hpp>

extern "C" constinit const fovea::simd::kernel_table fovea_kernels_avx512 =
    fovea::simd::table_of<fovea::simd::avx512>("avx512");
