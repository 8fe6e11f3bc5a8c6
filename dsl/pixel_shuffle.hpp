#pragma once

#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

namespace detail {

/// Whether x has planes, and a factor is one.
constexpr bool has_planes(expr x, int factor, const char* word, source_place at) {
  if (x.owner == nullptr || !x.owner->usable(x, at, word)) return false;
  if (x.rank() < 3)
    x.owner->fail(389, at, word, ": expected [..., height, width, features], found ", x);
  else if (factor < 1 || factor > graph::largest_dim / factor)
    x.owner->fail(390, at, word, ": expected a factor of 1 to 46340, found ", factor);
  return x.owner->error.empty();
}

/// How many elements of an axis of planes there are.
constexpr dim planes_of(expr x) {
  dim all = 1;
  for (int i = 0; i + 3 < x.rank(); ++i) all = all * x.size(i);
  return all;
}

/// x of [planes, H, W, C] with the leading axes of another value.
constexpr expr with_planes_of(expr like, expr x, source_place at) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  shape s = g.shape_of(like);
  for (int i = -3; i < 0; ++i) s[i] = g.shape_of(x)[i];
  return reshape_to(x, s, at);
}

} // namespace detail

/// Features as places: each place becomes `factor` by `factor` of them, of as many times fewer features (Shi et
/// al. 2016, equation 4). [..., H, W, C factor^2] -> [..., H factor, W factor, C]; feature c factor^2 + i factor
/// + j goes to row i, column j, as in PyTorch.
constexpr expr pixel_shuffle(expr x, int factor, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "pixel_shuffle";
  if (!detail::has_planes(x, factor, word, at)) return {x.owner};
  const std::int64_t features = detail::width_of(x, at, word), square = std::int64_t{factor} * factor;
  if (features == 0) return {x.owner};
  if (features % square != 0)
    return x.owner->fail(391, at, word, ": the ", features, " features of ", x, " are no multiple of ",
                         square, ", the square of the factor ", factor);
  const reported_at user(x, at.as(word));
  const dim planes = detail::planes_of(x), height = x.size(-3), width = x.size(-2);
  const expr apart = reshape(x, {planes, height, width, features / square, factor, factor});
  const expr placed = reshape(permute(apart, {0, 1, 4, 2, 5, 3}),
                              {planes, height * factor, width * factor, features / square});
  return detail::with_planes_of(x, placed, at.as(word));
}

/// Places as features, what pixel_shuffle undoes: [..., H, W, C] -> [..., H / factor, W / factor, C factor^2].
constexpr expr pixel_unshuffle(expr x, int factor, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "pixel_unshuffle";
  if (!detail::has_planes(x, factor, word, at)) return {x.owner};
  if (detail::width_of(x, at, word) == 0) return {x.owner};
  const dim planes = detail::planes_of(x), features = x.size(-1), height = exact_quotient(x.size(-3), factor),
            width = exact_quotient(x.size(-2), factor);
  if (height.overflow || width.overflow)
    return x.owner->fail(392, at, word, ": the ", height.overflow ? "height " : "width ",
                         x.size(height.overflow ? -3 : -2), " of ", x, " is no multiple of ", factor);
  const reported_at user(x, at.as(word));
  const expr apart = reshape(x, {planes, height, factor, width, factor, features});
  const expr placed =
      reshape(permute(apart, {0, 1, 3, 5, 2, 4}), {planes, height, width, features * factor * factor});
  return detail::with_planes_of(x, placed, at.as(word));
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::pixel_shuffle, core::pixel_unshuffle;
} // namespace fovea
