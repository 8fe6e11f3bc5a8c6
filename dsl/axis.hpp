#pragma once

#include <fovea/dsl/graph.hpp>

namespace fovea::core {

/// An axis, where a word takes one: by the dim that it has (T), or by its position, 0 or -1.
struct axis {
  int position = 0;
  dim named = 0;
  bool by_position = false;
  source_place at; // where it was written

  constexpr axis() = default;
  constexpr axis(int i, source_place where = {__builtin_FILE(), __builtin_LINE()})
      : position(i), by_position(true), at(where) {}
  constexpr axis(const dim& d, source_place where = {__builtin_FILE(), __builtin_LINE()})
      : named(d), at(where) {}
};

namespace detail {

/// The position of an axis in x, or -1 after an error, which begins with `who`.
template <class word_type>
constexpr int find_axis(expr x, const axis& which, source_place at, const word_type& who) {
  graph& g = *x.owner;
  const shape& s = g.shape_of(x);
  if (which.by_position) {
    const int i = which.position < 0 ? s.rank + which.position : which.position;
    if (i >= 0 && i < s.rank) return i;
    if (s.rank == 0)
      g.fail(71, at, who, ": there is no axis ", which.position, " in [], a single number");
    else
      g.fail(72, at, who, ": there is no axis ", which.position, " in ", x, "; its axes are 0 to ",
             s.rank - 1);
    return -1;
  }
  int found = -1;
  for (int i = 0; i < s.rank; ++i)
    if (g.dim_of(s[i]) == which.named) {
      if (found >= 0) {
        g.fail(73, at, who, ": ", which.named, " occurs twice in ", x, "; say axis(", found, ") or axis(", i,
               ")");
        return -1;
      }
      found = i;
    }
  if (found < 0) g.fail(74, at, who, ": there is no axis ", which.named, " in ", x);
  return found;
}

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::axis;
} // namespace fovea
