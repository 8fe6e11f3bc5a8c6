#pragma once

#include <cstdint>

#include <fovea/dsl/passes/passes.hpp>
#include <fovea/dsl/passes/stream_step.hpp>
#include <fovea/dsl/passes/stream_writer.hpp>

namespace fovea::core {

namespace detail {

/// Writes what of a graph does not move along the dim: with the loops that it is in but for moving scans, and
/// with `keep` behind each value that the step reads.
template <class before, dim along>
struct begin_writer : stream_writer {
  static constexpr const stream_outcome& step = streamed_step<before, along>::result;

  constexpr begin_writer(const graph& of, graph& made)
      : stream_writer(of, made, dim_of_graph(of, along), false) {}

  constexpr std::int32_t write(int id) {
    const node& n = g.nodes[id];
    if (!is_leaf(id) && !hoisted[id] && (!live[id] || moves[id] || region_moves(n.region))) return -1;
    to.current_region = home_of(n.region);
    const std::int32_t made = copy(id);
    for (int i = 0; i < step.kept_count; ++i)
      if (step.kept_from[i] == id)
        beside(id, op::keep, n.shape, {made}, n.type, {.entry = {step.kept_state[i]}});
    return made;
  }
  /// What moving loops carry is the step's.
  constexpr void last(int region) {
    if (moving_region[region]) to.regions[region].carried = 0;
  }
  constexpr void run() {
    write_graph(to, view, *this);
    if (to.node_count == 0) to.add({.kind = op::constant, .settings = {.number = 0}}); // a graph has a node
  }
};

/// The graph of what does not depend on `time`.
template <class before, dim time>
struct streamed_begin : written_by<begin_writer<before, time>, before> {
  static constexpr const char* call = "begin";
};

} // namespace detail

template <dim time>
struct passes::stream_begin {
  static constexpr const char* name = "stream_begin";
  template <class before>
  using made = detail::streamed_begin<before, time>;
};

} // namespace fovea::core
