#pragma once

#include <fovea/backends/explanation.hpp>
#include <fovea/backends/simd/net_view.hpp>

namespace fovea::core {
class pieces;
}

namespace fovea::core::simd {

/// Explains an engine whose slots lie in `arena`, at the sizes of a call.
explanation explained(const net_view& net, const pieces& arena, dim_values sizes);

} // namespace fovea::core::simd
