#pragma once

#include <cstdint>
#include <span>

#include <fovea/backends/simd/net_view.hpp>

namespace fovea::core::simd {

/// What a step of a compiled model does in one pass of the loops around it: floating-point operations as count_flops
/// counts them, bytes of parameters and of values that it cannot but read or write. A value that a step reads twice
/// counts once.
///   passes  how often it does that in a call
///   layers  of how many of them each has parameters of its own
struct step_cost {
  std::int64_t passes = 1, layers = 1, flops = 0, parameter_bytes = 0, value_bytes = 0;

  std::int64_t bytes() const { return parameter_bytes + value_bytes; }
};

/// At the sizes of a call, of each dim of the graph.
step_cost cost_of(const net_view& net, int step, dim_values sizes);

} // namespace fovea::core::simd
