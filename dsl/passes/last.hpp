#pragma once

#include <cstdint>

#include <fovea/dsl/model.hpp>
#include <fovea/dsl/passes/by_position.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/needed.hpp>
#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

namespace detail {

/// Writes a graph that gives its outputs at the last position along a dim alone. That position is taken
/// before all that works on each by itself, as far back as nothing else needs all of them: what comes after
/// it has an axis of 1 there.
struct last_writer : by_position {
  graph& to;
  graph_view view;                                                     // of g
  bool in_full[graph::max_nodes] = {}, at_last[graph::max_nodes] = {}; // how a node is needed
  std::int32_t mapped[graph::max_nodes] = {},
               cut[graph::max_nodes] = {}; // what stands for it; its last position

  constexpr last_writer(const graph& of, graph& made, std::uint16_t along, const graph_view& of_tables)
      : by_position(of, along), to(made), view(of_tables) {}

  constexpr bool may_be_cut_before(int id) const {
    const node& n = g.nodes[id];
    if (n.region != 0 || mixes(id) != nullptr) return false;
    if (n.kind == op::dropout && n.settings.dropout.of_weights) return false; // it stays with its attention
    for (int k = 0; k < n.operand_count; ++k)
      if (time_axes(g.operand(id, k)) > 1) return false;
    return true;
  }
  constexpr void find_needed() {
    for (int i = 0; i < g.input_count; ++i) in_full[g.inputs[i].node] = true;
    for (int i = 0; i < g.parameter_count; ++i) in_full[g.parameters[i].node] = true;
    for (int i = 0; i < g.output_count; ++i) need(g.outputs[i].node);
    for (int id = g.node_count - 1; id >= 0; --id) {
      in_full[id] |= at_last[id] && !may_be_cut_before(id);
      if (in_full[id])
        mark_operands(g, id, in_full);
      else if (at_last[id])
        for (int k = 0; k < g.nodes[id].operand_count; ++k) need(g.operand(id, k));
    }
    // A stream keeps the last state of a scan, whether an output needs it or not.
    for (int id = 0; id < g.node_count; ++id)
      if (const node& n = g.nodes[id]; n.kind == op::repeat_output)
        in_full[id] |= in_full[g.regions[n.settings.carried.region].first];
  }
  constexpr void need(int id) { (time_axis(id) < 0 ? in_full : at_last)[id] = true; }

  /// What stands for the last position of a node, or for all of one that has none.
  constexpr std::int32_t last_of(int id) {
    if (time_axis(id) < 0 || !in_full[id]) return mapped[id];
    const source_place at = g.nodes[id].at;
    if (cut[id] < 0) cut[id] = last_along({&to, mapped[id]}, time_axis(id), {at.file, at.line, "last"}).id;
    return cut[id];
  }
  constexpr std::int32_t write(int id) {
    cut[id] = -1;
    if (!in_full[id] && !at_last[id]) return -1;
    node made = g.nodes[id];
    const auto stand_in = [&](int from) { return in_full[id] ? mapped[from] : last_of(from); };
    for (int k = 0; k < made.operand_count; ++k)
      stand_in(g.operand(id, k)); // what is cut off stands before it
    if (!in_full[id]) made.shape[time_axis(id)] = to.intern(1);
    return add_in_place(to, made, view, id, stand_in);
  }

  constexpr void run() {
    copy_tables(to, g);
    bool found = false;
    for (int i = 0; i < g.output_count; ++i) {
      const int id = g.outputs[i].node, axes = time_axes(id);
      if (axes > 1)
        to.fail(274, g.nodes[id].at, "last: output \"", g.outputs[i].name, "\" ", g.nodes[id].shape, " has ",
                axes, " axes of ", g.dim_of(time), "; expected one");
      found |= axes > 0;
    }
    if (!found) to.fail(275, g.latest, "last: no output has an axis ", g.dim_of(time));
    if (!to.error.empty()) return;
    find_needed();
    write_graph(to, view, *this);
    write_outputs(to, view, [this](int id) {
      return without_axis({&to, last_of(id)}, time_axis(id), g.nodes[id].at).id;
    });
  }
};

/// The graph of `source::built` at the last position along `time` alone.
template <class source, dim time>
struct at_last_position {
  static constexpr graph build() {
    graph made;
    if (const std::uint16_t along = dim_of_graph(source::built, time); along == 0)
      made.fail(276, source::built.latest, "last: the model has no dim ", time);
    else
      last_writer(source::built, made, along, view_of_tables(source::built)).run();
    return made;
  }
  static constexpr graph built = build();
  static constexpr sentence error = built.error;
};

} // namespace detail

/// A model whose outputs that have an axis `time` are given at its last position alone, without that axis:
/// logits [B, T, vocab] become [B, vocab], in a stream those after the last of the new positions. What works
/// on each position by itself then takes that one. last<T>(model) is a model, to be compiled, streamed or
/// differentiated. A dim that no output has, or one twice, is a compile-time error.
template <dim time, class M>
requires(M::well_formed) constexpr auto last(const M& model) {
  return model_of<detail::at_last_position<typename M::source, time>>{model.name, model.names};
}
/// A model with an error has said so already.
template <dim time, class M>
requires(!M::well_formed) constexpr M last(const M& model) { return model; }

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::last;
} // namespace fovea
