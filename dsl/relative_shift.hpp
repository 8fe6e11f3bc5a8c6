#pragma once

#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

/// Scores by distance as scores by key (Dai et al. 2019, appendix B): of query t and key s, y[t, s] = x[t, s - t
/// + queries - 1]. [..., queries, distances] -> [..., queries, keys], of distances = queries + keys - 1: column 0
/// is the key farthest behind the last query.
constexpr expr relative_shift(expr x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "relative_shift";
  if (!detail::is_float(x, at, word)) return {x.owner};
  graph& g = *x.owner;
  const auto misfit = [&] {
    return g.fail(393, at, word,
                  ": expected [..., queries, distances] of at least as many distances as queries, found ", x);
  };
  if (x.rank() < 2) return misfit();
  const dim queries = x.size(-2), distances = x.size(-1), keys = distances - queries + 1;
  if (keys.is_number() && keys.number() < 1) return misfit();
  const reported_at user(x, at.as(word));
  // One element in front of each row moves each row by one more than the row before it.
  dim outside = 1;
  for (int i = 0; i + 2 < x.rank(); ++i) outside = outside * x.size(i);
  const expr wider = reshape(pad(x, -1, 1, 0), {outside, queries * (distances + 1)});
  const expr moved =
      reshape(slice(wider, 1, queries, queries * (distances + 1)), {outside, queries, distances});
  shape s = g.shape_of(x);
  s[-1] = g.intern(keys);
  return detail::reshape_to(slice(moved, 2, 0, keys), s, at.as(word));
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::relative_shift;
} // namespace fovea
