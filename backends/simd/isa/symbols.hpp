#pragma once

// What the units compiled for one instruction set export: fovea_KERNEL_SET. C linkage, because the build names
// them to objcopy when it makes every other symbol of those units local.

#include <fovea/backends/simd/kernels/table.hpp>

#define FOVEA_SYMBOL_OF(name, set) fovea_##name##_##set
#define FOVEA_SYMBOL(name, set) FOVEA_SYMBOL_OF(name, set)
