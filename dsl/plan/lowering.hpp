#pragma once

#include <cstddef>

#include <fovea/dsl/plan/order.hpp>
#include <fovea/dsl/plan/placement.hpp>
#include <fovea/dsl/plan/tables.hpp>

namespace fovea::core {

/// The plan of a graph in stages, each a constant of its own: a compiler's limit on the work of one constant
/// then bounds each stage, not their sum. `graph_of::view` is the graph.
template <class graph_of>
struct planned {
  static constexpr const graph_view& view = graph_of::view;
  static constexpr std::size_t nodes = view.nodes.empty() ? 1 : view.nodes.size(),
                               regions = view.regions.size();

  static constexpr fusion<nodes> live = live_nodes<nodes>(view);
  static constexpr fusion<nodes> products = fuse_epilogues(view, live);
  static constexpr fusion<nodes> chains = fuse_chains(view, products);
  static constexpr fusion<nodes> groups = view_turned(view, take_parts(view, chains));
  static constexpr plan<nodes, regions> ordered = [] {
    detail::orderer<nodes, regions> s{view};
    s.p.groups = groups;
    s.order();
    s.find_chains();
    detail::find_tables(view, s.p);
    return s.p;
  }();
  static constexpr detail::placer<nodes, regions> timed = [] {
    detail::placer<nodes, regions> s{view, ordered};
    s.find_last_uses();
    return s;
  }();
  static constexpr plan<nodes, regions> result = [] {
    auto s = timed;
    s.place();
    return s.p;
  }();
};

/// What backends/simd is given of a model: the graph after all passes, the `view` of `made`, and its plan.
template <class made>
struct lowering {
  static constexpr const graph_view& view = made::view;
  static constexpr const auto& schedule = planned<made>::result;
  static_assert(!schedule.overflow, "the model keeps more values at a time than a plan has slots [F0281]");
};

} // namespace fovea::core
