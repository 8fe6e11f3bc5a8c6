#pragma once

#include <cstdint>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/plan/cost.hpp>

namespace fovea::core::detail {

/// Where a model is cut into stages: between layers of the repeats that it has outside of other loops. A layer takes with it
/// what stands in front of the first layer, or behind the last one, of its repeat.
struct layer_cuts {
  static constexpr int most = 64;

  int count;      // stages
  int layers = 0; // of all these repeats
  struct cut {
    int region = 0, layer = 0;
  };
  cut begins[most] = {}; // each stage but the first, in front of this layer
  int stage_of[graph::max_nodes] =
      {}; // each node of the model itself; what a repeat leaves, behind its last layer

  constexpr layer_cuts(const graph& g, int of_stages) : count(of_stages) {
    const graph_view view = view_of_tables(g);
    weigh(g, view);
    if (layers < count) return;
    divide();
    int stage = 0;
    for (int id = 0; id < g.node_count; ++id) {
      const int r = repeat_at(view, id);
      while (r != 0 && stage + 1 < count && begins[stage + 1].region == r) ++stage;
      stage_of[id] = stage;
    }
  }

  /// Whether a stage begins with a layer of a repeat that is not its first.
  constexpr bool begins_inside(int stage, int region) const {
    return stage > 0 && region != 0 && begins[stage].region == region && begins[stage].layer > 0;
  }
  /// The repeat that goes on behind the end of a stage; 0: none does.
  constexpr int region_past(int stage) const {
    return stage + 1 < count && begins[stage + 1].layer > 0 ? begins[stage + 1].region : 0;
  }
  constexpr int first_region(int stage) const { return stage > 0 ? begins[stage].region : 0; }
  constexpr int first_layer(int stage) const { return begins[stage].layer; }
  constexpr std::int64_t layers_in(const graph& g, int stage, int region) const {
    const std::int64_t from = begins_inside(stage, region) ? begins[stage].layer : 0;
    return (region_past(stage) == region ? begins[stage + 1].layer : g.regions[region].count) - from;
  }

private:
  struct weighed_repeat {
    int region = 0, count = 0;
    std::int64_t before = 0, each = 0; // parameters in front of the first layer, and of a layer
  };
  weighed_repeat repeats[graph::max_regions] = {};
  int repeat_count = 0;
  std::int64_t behind = 0; // parameters behind the last layer of all

  constexpr void weigh(const graph& g, const graph_view& view) {
    std::int64_t since = 0;
    int counted[graph::max_nodes] = {}; // for which place a parameter of the model itself was counted
    int place = 1;
    for (int id = 0; id < g.node_count; ++id) {
      if (const int r = repeat_at(view, id); r != 0) {
        repeats[repeat_count++] = {r, g.regions[r].count, since, 0};
        layers += g.regions[r].count;
        since = 0, ++place;
      }
      const bool inside = repeat_count > 0 && is_inside(g, id, repeats[repeat_count - 1].region);
      if (g.nodes[id].kind == op::parameter && inside)
        repeats[repeat_count - 1].each +=
            elements_of(view, id) * view.layers(id) / repeats[repeat_count - 1].count;
      for (int k = 0; k < g.nodes[id].operand_count && !inside; ++k)
        if (const int from = g.operand(id, k);
            g.nodes[from].kind == op::parameter && counted[from] != place) {
          counted[from] = place;
          since += elements_of(view, from);
        }
    }
    behind = since;
  }
  /// The repeat of the model itself that begins with a node; 0: none does.
  static constexpr int repeat_at(const graph_view& view, int id) {
    const int r = begun_with(view, id, 0);
    return r != 0 && view.region(r).parent == 0 && !view.region(r).is_scan() ? r : 0;
  }
  static constexpr bool is_inside(const graph& g, int id, int region) {
    for (int r = g.nodes[id].region; r != 0; r = g.regions[r].parent)
      if (r == region) return true;
    return false;
  }
  static constexpr std::int64_t elements_of(const graph_view& view, int id) {
    return extent_of(view, view.at(id).shape).factor;
  }

  /// Parameters in front of a layer, counted through all repeats.
  constexpr std::int64_t in_front_of(int layer) const {
    if (layer == 0) return 0;
    std::int64_t total = 0;
    for (int i = 0; i < repeat_count; ++i) {
      total += repeats[i].before;
      if (layer < repeats[i].count) return total + repeats[i].each * layer;
      total += repeats[i].each * repeats[i].count;
      layer -= repeats[i].count;
    }
    return total;
  }
  constexpr std::int64_t weight(int from, int to) const {
    return (to == layers ? in_front_of(to) + behind : in_front_of(to)) - in_front_of(from);
  }
  /// The layer behind the last that fits under a bound, where so many stages have to follow.
  constexpr int end_of(int from, std::int64_t bound, int followers) const {
    if (followers == 0) return layers;
    int fits = from + 1;
    for (int wide = layers - followers; fits < wide;) {
      const int middle = (fits + wide + 1) / 2;
      if (weight(from, middle) <= bound)
        fits = middle;
      else
        wide = middle - 1;
    }
    return fits;
  }
  /// The weight of the largest stage where each takes what fits under a bound.
  constexpr std::int64_t largest_under(std::int64_t bound) const {
    std::int64_t largest = 0;
    for (int stage = 0, from = 0; stage < count; ++stage) {
      const int to = end_of(from, bound, count - 1 - stage);
      if (const std::int64_t w = weight(from, to); w > largest) largest = w;
      from = to;
    }
    return largest;
  }
  constexpr void divide() {
    std::int64_t low = 0, high = weight(0, layers);
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (largest_under(middle) <= middle)
        high = middle;
      else
        low = middle + 1;
    }
    for (int stage = 0, from = 0; stage < count; ++stage) {
      begins[stage] = cut_at(from);
      from = end_of(from, high, count - 1 - stage);
    }
  }
  constexpr cut cut_at(int layer) const {
    for (int i = 0; i < repeat_count; ++i) {
      if (layer < repeats[i].count) return {repeats[i].region, layer};
      layer -= repeats[i].count;
    }
    return {};
  }
};

} // namespace fovea::core::detail
