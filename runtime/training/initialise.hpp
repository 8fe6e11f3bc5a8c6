#pragma once

#include <cstdint>
#include <span>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core {

namespace detail {
model_weights initial_weights(graph_view graph, std::uint64_t seed);
model_weights initial_weights(graph_view graph, std::uint64_t seed, const model_weights& known,
                              std::span<const name_rule> names);
} // namespace detail

/// Weights to begin learning with, under the model's own names: each parameter as its `init` says, the same
/// for the same seed on every machine. Where a declaration says nothing they are PyTorch's: a table of
/// vectors is normal with deviation 1, matrices and filters uniform within 1 / sqrt(fan in) (LeCun et al.
/// 1998; He et al. 2015), vectors zero.
template <class M>
model_weights initial_weights(const M&, std::uint64_t seed = 0) {
  if constexpr (!M::well_formed)
    impossible("the model has said what is wrong");
  else
    return detail::initial_weights(M::view, seed);
}

/// The same, but what `known` has of the model's parameters, under its own names or by the model's table of
/// them, is taken from there: to go on from another model that shares a part of this one (transfer learning).
/// What else `known` holds is passed over. Throws fovea::error where it has none of the parameters, or one of
/// another shape.
template <class M>
model_weights initial_weights(const M& model, std::uint64_t seed, const model_weights& known) {
  if constexpr (!M::well_formed)
    impossible("the model has said what is wrong");
  else
    return detail::initial_weights(M::view, seed, known, model.names);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::initial_weights;
} // namespace fovea
