#pragma once

#include <cstdint>

#include <fovea/dsl/model.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/passes.hpp>
#include <fovea/dsl/passes/prune.hpp>

namespace fovea::core {

namespace detail {

/// Whether a node is a soft attention of whole sequences: one of a scan sees a step alone.
constexpr bool has_attention_map(const graph_view& g, int id) {
  for (int r = g.at(id).region; r != 0; r = g.region(r).parent)
    if (g.region(r).is_scan()) return false;
  return g.at(id).kind == op::attention;
}
/// How many a graph has, of which a repeat declares one for all its layers.
constexpr int count_attention_maps(const graph_view& g) {
  int count = 0;
  for (int id = 0; id < g.node_count(); ++id) count += has_attention_map(g, id) ? 1 : 0;
  return count;
}

/// Writes a graph whose outputs are the maps of its attentions, in their order. Those that are made in each layer of a
/// repeat leave it with the layers as their first axis.
struct attention_map_writer {
  static constexpr const char* names[] = {"maps.0",  "maps.1",  "maps.2",  "maps.3", "maps.4",  "maps.5",
                                          "maps.6",  "maps.7",  "maps.8",  "maps.9", "maps.10", "maps.11",
                                          "maps.12", "maps.13", "maps.14", "maps.15"};
  static constexpr int most = graph::max_outputs;
  static_assert(sizeof names / sizeof *names == most);

  const graph& source;
  graph& to;
  graph_view g = view_of_tables(source);
  std::int32_t mapped[graph::max_nodes] = {};
  std::int32_t maps[most] = {};
  int count = 0;

  constexpr void run() {
    copy_tables(to, source);
    if (const int found = count_attention_maps(g); found == 0)
      to.fail(337, source.latest, "attention_maps: the model has no soft attention outside of scans");
    else if (found > most)
      to.fail(338, source.latest, "attention_maps: expected at most ", most,
              " attentions, where a repeat counts once; found ", found);
    if (!to.error.empty()) return;
    write_graph(to, g, *this);
    for (int i = 0; i < count && to.error.empty(); ++i) to.outputs[to.output_count++] = {names[i], maps[i]};
  }

  constexpr std::int32_t write(int id) {
    if (has_attention_map(g, id)) maps[count++] = map_of(id);
    return copy_node(to, g, id, mapped);
  }
  constexpr std::int32_t map_of(int id) {
    node map = g.at(id);
    map.kind = op::attention_map;
    map.shape = {};
    if (g.at(id).shape.rank == 3) map.shape.push(g.at(id).shape[0]);
    map.shape.push(to.intern(map.settings.attention.heads));
    map.shape.push(g.at(id).shape[-2]);
    map.shape.push(g.at(g.operand(id, 1)).shape[-2]);
    return add_in_place(to, map, g, id, [this](int k) { return mapped[k]; });
  }

  /// The maps that a repeat makes are stacked while its body is open, and leave it after that.
  constexpr void last(int region) {
    for (int i = 0; i < count; ++i) {
      const node map = to.nodes[maps[i]];
      if (map.region != region) continue;
      node all{.kind = op::stack, .settings = {.time = {0, region}}, .at = map.at};
      all.shape.push(to.intern(g.region(region).count));
      for (int axis = 0; axis < map.shape.rank; ++axis) all.shape.push(map.shape[axis]);
      maps[i] = add_node(to, all, {maps[i]});
    }
  }
  constexpr void after(int region) {
    for (int i = 0; i < count; ++i) {
      const node all = to.nodes[maps[i]];
      if (all.region != region) continue;
      maps[i] = add_node(
          to,
          {.kind = op::scan_output, .shape = all.shape, .settings = {.carried = {0, region}}, .at = all.at},
          {maps[i]});
    }
  }
};

} // namespace detail

struct passes::attention_maps {
  static constexpr const char* name = "attention_maps";
  template <class before>
  using made = detail::written_by<detail::attention_map_writer, before>;
};

/// A model that gives, in place of its outputs, the weights of its soft attentions in their order: "maps.0",
/// "maps.1", ... of [B, heads, queries, keys], and of one in a repeat [layers, B, heads, queries, keys]. It has the
/// inputs and parameters of the model: compile(attention_maps(m), weights, options). Attentions in scans give none.
/// A model without any, or with more than 16, is a compile-time error.
template <class M>
requires(M::well_formed) constexpr auto attention_maps(const M& model) {
  return model_of<typename pipelines::maps<typename M::source>::result>{model.name, model.names};
}
/// A model with an error has said so already.
template <class M>
requires(!M::well_formed) constexpr M attention_maps(const M& model) { return model; }

/// Whether a model has soft attentions, whose maps can be seen.
template <class M>
constexpr bool has_attention_maps(const M&) {
  constexpr int count = detail::count_attention_maps(M::view);
  return count > 0 && count <= detail::attention_map_writer::most;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::attention_maps, core::has_attention_maps;
} // namespace fovea
