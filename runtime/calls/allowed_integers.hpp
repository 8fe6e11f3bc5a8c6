#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core {

/// What the integers of an input, or of a part of it, may be: 0 to `below` - 1, or `ignored`. They are rows
/// of a table that a gather chooses from, or targets of a cross_entropy.
struct allowed_integers {
  /// first <= i < first + length along an axis: `length` is a dim of the graph, and `first` the sum of some.
  struct range {
    std::vector<int> first;
    int length = 0;
  };

  std::int64_t below = 0;
  std::optional<std::int32_t> ignored;
  std::vector<range> part; // of each axis; empty: all of the input

  bool allow(std::int32_t x) const { return (x >= 0 && x < below) || x == ignored; }
  /// The first element of an input [extents] that is not allowed; `sizes` are those of the graph's dims.
  std::optional<std::size_t> find_other(std::span<const std::int32_t> values,
                                        std::span<const std::int64_t> extents,
                                        std::span<const std::int64_t> sizes) const;
};

/// What each input of a graph may hold, as far as gathers and losses read it as it is given: whole, under
/// another shape, or a slice of it. Ids and targets that the model computes are not seen here.
std::vector<std::vector<allowed_integers>> allowed_integers_of(const graph_view& graph);

} // namespace fovea::core
