#pragma once

#include <fovea/backends/simd/net_view.hpp>

namespace fovea::core {
class pieces;
struct explanation;
} // namespace fovea::core

namespace fovea::core::simd {

/// Explains an engine whose slots lie in `arena`, at the sizes of a call, to an explanation that is empty.
void explain(const net_view& net, const pieces& arena, dim_values sizes, explanation& to);

} // namespace fovea::core::simd
