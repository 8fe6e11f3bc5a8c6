#pragma once

#include <vector>

#include <fovea/backends/simd/kernels/table.hpp>

namespace fovea::core::simd {

/// The sets that the program links and the processor has, from best to least.
std::vector<set_sizes> sets_here();

} // namespace fovea::core::simd
