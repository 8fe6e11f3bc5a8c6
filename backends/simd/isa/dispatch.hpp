#pragma once

#include <fovea/backends/simd/kernels/table.hpp>

namespace fovea::core {

/// The instruction set in use: "portable", "baseline", "avx2" or "avx512".
const char* instruction_set();

namespace simd {

/// The kernels of a set by its name; null when no set has this name or the processor lacks it.
const kernel_table* table_for(const char* set);

/// The kernels of the best set that the processor has, or of the one that the environment variable FOVEA_ISA
/// names; chosen at the first call. Throws fovea::error when FOVEA_ISA names an unknown set or one that the
/// processor lacks.
const kernel_table& kernels();

} // namespace simd
} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::instruction_set;
} // namespace fovea
