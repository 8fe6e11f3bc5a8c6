#pragma once

#include <cstdint>

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core {

/// How many elements a value has: a number times dims that are known at run time. Every dim is at least 1, so
/// extents over the same dims are ordered by their numbers, whatever the sizes turn out to be.
struct extent {
  std::int64_t factor = 1;
  std::uint8_t count = 0;
  std::uint16_t dims[shape::max_rank + 2] = {}; // ids, ascending
  std::uint16_t rounded = 0;                    // one more dim, rounded up to a multiple of 64; 0: none

  constexpr void multiply(const graph_view& g, std::uint16_t d) {
    if (g.is_number(d)) {
      factor *= g.number(d);
      return;
    }
    int i = count++;
    for (; i > 0 && dims[i - 1] > d; --i) dims[i] = dims[i - 1];
    dims[i] = d;
  }

  friend constexpr bool same_dims(const extent& a, const extent& b) {
    if (a.count != b.count || a.rounded != b.rounded) return false;
    for (int i = 0; i < a.count; ++i)
      if (a.dims[i] != b.dims[i]) return false;
    return true;
  }

  /// Elements, given the size of each dim by size_of(id); as a double where they may be too many to count.
  template <class number = std::int64_t, class sizes>
  constexpr number evaluate(const sizes& size_of) const {
    auto n = static_cast<number>(factor);
    for (int i = 0; i < count; ++i) n *= static_cast<number>(size_of(dims[i]));
    if (rounded != 0) n *= static_cast<number>((size_of(rounded) + 63) / 64 * 64);
    return n;
  }
};

constexpr extent extent_of(const graph_view& g, const shape& s) {
  extent e;
  for (int i = 0; i < s.rank; ++i) e.multiply(g, s.dims[i]);
  return e;
}

} // namespace fovea::core
