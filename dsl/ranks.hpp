#pragma once

#include <fovea/dsl/graph.hpp>

namespace fovea::core::detail {

/// The mean of x over the ranks that learn together: x itself for who learns alone.
constexpr expr mean_over_ranks(expr x, source_place at) {
  if (!x.valid()) return x;
  return x.owner->add({.kind = op::rank_mean, .shape = x.owner->shape_of(x), .at = at}, x);
}
/// How many there are, as float32.
constexpr expr count_of_ranks(graph& g, source_place at) { return g.add({.kind = op::rank_count, .at = at}); }

} // namespace fovea::core::detail
