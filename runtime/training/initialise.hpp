#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/runtime/weights/weights.hpp>

namespace fovea {

namespace detail {
weights initial_weights(graph_view graph, std::uint64_t seed);
}

/// Weights to begin learning with, under the model's own names: each parameter as its `init` says, the same
/// for the same seed on every machine. Where a declaration says nothing they are PyTorch's: a table of
/// vectors is normal with deviation 1, matrices and filters uniform within 1 / sqrt(fan in) (LeCun et al.
/// 1998; He et al. 2015), vectors zero.
template <class M>
weights initial_weights(const M&, std::uint64_t seed = 0) {
  return detail::initial_weights(M::view, seed);
}

} // namespace fovea
