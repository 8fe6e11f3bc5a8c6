#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <fovea/dsl/finished.hpp>
#include <fovea/dsl/model.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/layer_cuts.hpp>
#include <fovea/dsl/passes/needed.hpp>

namespace fovea::core {

namespace detail {

/// Which values of a model its stages send each other. A value of the model itself that a later stage needs is sent by the
/// stage that computes it, unless it is had without any layer's work: an input, a parameter, and what follows from inputs
/// alone or from parameters alone, which each stage computes. Where a repeat is cut, what it carries is sent.
struct stage_traffic {
  static constexpr int most = 32;
  static constexpr const char* names[] = {
      "stage.0",  "stage.1",  "stage.2",  "stage.3",  "stage.4",  "stage.5",  "stage.6",  "stage.7",
      "stage.8",  "stage.9",  "stage.10", "stage.11", "stage.12", "stage.13", "stage.14", "stage.15",
      "stage.16", "stage.17", "stage.18", "stage.19", "stage.20", "stage.21", "stage.22", "stage.23",
      "stage.24", "stage.25", "stage.26", "stage.27", "stage.28", "stage.29", "stage.30", "stage.31"};
  static_assert(sizeof names / sizeof *names == most);

  /// One value, or what a repeat carries past a cut as its value of that number.
  struct sent {
    std::int32_t node = 0; // the value; of what is carried, the node that the body begins with
    int stage = 0;         // that computes it
    bool carried = false;
  };

  const graph& g;
  const layer_cuts& cuts;
  graph_view view = view_of_tables(g);
  bool anew[graph::max_nodes] = {};   // each stage that needs it computes it
  bool needed[graph::max_nodes] = {}; // in the stage that is looked at
  bool asked[graph::max_nodes] = {};  // by a later stage
  sent values[most] = {};
  int count = 0; // above `most`: too many

  constexpr stage_traffic(const graph& of, const layer_cuts& by) : g(of), cuts(by) { find_anew(); }

  constexpr void find_anew() {
    bool by_input[graph::max_nodes] = {}, by_parameter[graph::max_nodes] = {};
    for (int id = 0; id < g.node_count; ++id) {
      const node& n = g.nodes[id];
      by_input[id] = n.kind == op::input, by_parameter[id] = n.kind == op::parameter;
      for (int k = 0; k < n.operand_count; ++k) {
        by_input[id] |= by_input[g.operand(id, k)];
        by_parameter[id] |= by_parameter[g.operand(id, k)];
      }
      anew[id] = n.region == 0 && n.kind != op::repeat_output && n.kind != op::scan_output &&
                 !(by_input[id] && by_parameter[id]);
    }
  }

  /// Marks what a stage needs for its outputs and for what later stages ask of it. It asks earlier ones for the rest.
  constexpr void look_at(int stage) {
    for (bool& mark : needed) mark = false;
    for (int i = 0; i < g.output_count; ++i)
      if (cuts.stage_of[g.outputs[i].node] == stage) needed[g.outputs[i].node] = true;
    for (int id = 0; id < g.node_count; ++id)
      if (asked[id] && cuts.stage_of[id] == stage) needed[id] = true;
    if (const int r = cuts.region_past(stage); r != 0) need_loop(r);
    for (int id = g.node_count - 1; id >= 0; --id) {
      if (!needed[id] || is_received(id, stage)) continue;
      if (g.nodes[id].kind == op::carry && cuts.begins_inside(stage, g.nodes[id].region)) continue;
      mark_operands(g, id, needed);
    }
    for (int id = 0; id < g.node_count; ++id)
      if (needed[id] && is_received(id, stage)) asked[id] = true;
  }
  constexpr void need_loop(int r) {
    for (int k = 0; k < g.regions[r].carried; ++k)
      needed[g.regions[r].first + k] = needed[g.regions[r].results[k]] = true;
  }
  constexpr bool is_received(int id, int stage) const {
    return !anew[id] && g.nodes[id].region == 0 && cuts.stage_of[id] < stage;
  }

  /// From the last stage to the first, since those that ask come later.
  constexpr void find() {
    for (int stage = cuts.count - 1; stage > 0; --stage) look_at(stage);
    for (int stage = 0; stage + 1 < cuts.count; ++stage) {
      for (int id = 0; id < g.node_count; ++id)
        if (asked[id] && cuts.stage_of[id] == stage) add({id, stage, false});
      if (const int r = cuts.region_past(stage); r != 0)
        for (int k = 0; k < g.regions[r].carried; ++k) add({g.regions[r].first + k, stage, true});
    }
  }
  constexpr void add(sent value) {
    if (count < most) values[count] = value;
    ++count;
  }
};

/// Writes a stage of a model: its nodes, inputs for what earlier stages send, outputs for what it sends.
struct stage_writer {
  const graph& g;
  graph& to;
  const layer_cuts& cuts;
  const stage_traffic& traffic; // that looked at this stage last
  int stage;
  graph_view view = view_of_tables(g);
  std::int32_t mapped[graph::max_nodes] = {};
  std::int32_t received[stage_traffic::most] = {}; // the input of each value; -1: none

  constexpr void run() {
    copy_tables(to, g);
    to.is_part = true;
    for (std::int32_t& id : received) id = -1;
    number_layers();
    write_graph(to, view, *this);
    keep_own_parameters();
    add_received();
    write_own_outputs();
  }

  /// Layers keep their numbers in names.
  constexpr void number_layers() {
    const int r = cuts.first_region(stage);
    for (int all = 1; all < g.region_count; ++all)
      to.regions[all].count = static_cast<std::int32_t>(cuts.layers_in(g, stage, all));
    if (!cuts.begins_inside(stage, r)) return;
    bool moved[graph::max_scopes] = {};
    for (int id = g.regions[r].first; id < g.regions[r].last; ++id)
      if (const int scope = scope_of_layers(id, r); scope != 0 && !moved[scope]) {
        moved[scope] = true;
        to.scopes[scope].layers.first += cuts.first_layer(stage) * g.scopes[scope].layers.step;
      }
  }
  /// The scope around a node whose numbers are those of the layers of a repeat; 0: none.
  constexpr int scope_of_layers(int id, int repeat) const {
    int scope = g.nodes[id].scope, r = g.nodes[id].region;
    for (; scope != 0; scope = g.scopes[scope].parent) {
      if (g.scopes[scope].index != scope_name::any_layer) continue;
      while (g.regions[r].is_scan()) r = g.regions[r].parent;
      if (r == repeat) return scope;
      r = g.regions[r].parent;
    }
    return 0;
  }

  constexpr void before(int region) {
    if (!cuts.begins_inside(stage, region)) return;
    for (int i = 0; i < traffic.count; ++i)
      if (const auto& value = traffic.values[i]; value.carried && value.stage == stage - 1)
        received[i] = input_like(value.node);
  }
  constexpr std::int32_t input_like(int id) {
    const node& n = g.nodes[id];
    return add_node(
        to, {.kind = op::input, .type = n.type, .shape = n.shape, .settings = {.entry = {0}}, .at = n.at},
        {});
  }

  constexpr std::int32_t write(int id) {
    if (!traffic.needed[id]) return -1;
    const node& n = g.nodes[id];
    if (traffic.is_received(id, stage)) return received[number_of(id, false)] = input_like(id);
    if (n.kind == op::carry && cuts.begins_inside(stage, n.region))
      return add_in_place(to, n, view, id, [&](int) { return received[number_of(id, true)]; });
    return copy_node(to, view, id, mapped);
  }
  /// Which of the values that are sent a node is; of what is carried, by the stage before.
  constexpr std::size_t number_of(int id, bool carried) const {
    for (int i = 0; i < traffic.count; ++i)
      if (const auto& value = traffic.values[i];
          value.node == id && value.carried == carried && (!carried || value.stage == stage - 1))
        return static_cast<std::size_t>(i);
    return 0; // not reached: what is received is sent
  }

  constexpr void keep_own_parameters() {
    int count = 0;
    for (int i = 0; i < to.parameter_count; ++i) {
      if (to.parameters[i].node < 0) continue;
      to.parameters[count] = to.parameters[i];
      to.nodes[to.parameters[count].node].settings.entry.index = count;
      ++count;
    }
    to.parameter_count = count;
  }
  constexpr void add_received() {
    for (int i = 0; i < traffic.count && to.error.empty(); ++i) {
      if (received[i] < 0) continue;
      node& n = to.nodes[received[i]];
      if (to.input_count == graph::max_inputs) {
        to.fail(342, n.at, "shard: stage ", stage, " of ", cuts.count, " has more than ", graph::max_inputs,
                " inputs, with what earlier stages send");
        return;
      }
      n.settings.entry.index = to.input_count;
      to.inputs[to.input_count++] = {stage_traffic::names[i], received[i]};
    }
  }
  constexpr void write_own_outputs() {
    const auto add = [&](const char* name, std::int32_t id) {
      if (to.output_count == graph::max_outputs)
        to.fail(343, to.nodes[id].at, "shard: stage ", stage, " of ", cuts.count, " has more than ",
                graph::max_outputs, " outputs, with what it sends");
      else
        to.outputs[to.output_count++] = {name, id};
    };
    for (int i = 0; i < g.output_count && to.error.empty(); ++i)
      if (const named_value& out = g.outputs[i]; cuts.stage_of[out.node] == stage)
        add(out.name, mapped[out.node]);
    for (int i = 0; i < traffic.count && to.error.empty(); ++i) {
      const auto& value = traffic.values[i];
      if (value.stage == stage)
        add(stage_traffic::names[i], value.carried ? left_by(value.node) : mapped[value.node]);
    }
  }
  /// What the layers of this stage leave of a value that a repeat carries.
  constexpr std::int32_t left_by(int carry) {
    node n = g.nodes[carry];
    const region_entry& body = to.regions[n.region];
    n.kind = op::repeat_output, n.region = 0, n.scope = 0;
    return add_node(to, n, {body.results[n.settings.carried.index]});
  }
};

/// The graph of a stage, of so many.
template <class source, int stage, int count>
struct stage_of_model {
  static constexpr graph build() {
    const graph& g = source::built;
    graph made;
    if (count > layer_cuts::most) {
      made.fail(345, g.latest, "shard: expected at most ", layer_cuts::most, " stages, found ", count);
      return made;
    }
    const layer_cuts cuts(g, count);
    if (cuts.layers < count) {
      made.fail(341, g.latest, "shard: expected at least as many layers of repeats as stages, ", count,
                "; found ", cuts.layers);
      return made;
    }
    stage_traffic traffic(g, cuts);
    traffic.find();
    if (traffic.count > stage_traffic::most) {
      made.fail(344, g.latest, "shard: the stages send each other ", traffic.count,
                " values; expected at most ", stage_traffic::most);
      return made;
    }
    traffic.look_at(stage);
    stage_writer{g, made, cuts, traffic, stage}.run();
    forget_other_dims(made);
    return made;
  }
  /// A dim that only other stages have, and so no input tells, is none of this one's.
  static constexpr void forget_other_dims(graph& made) {
    const finished_graph known(made);
    for (int form = 0; form < made.form_count && known.error.empty(); ++form)
      if (known.unknown_in(made.forms[form]) >= 0) made.forms[form] = dim(1);
  }
  static constexpr graph built = build();
  static constexpr sentence error = built.error.empty() ? finished_graph(built).error : built.error;
};

/// What is wrong with the first is said once.
template <class source, int stage, int count>
using stage_model =
    model_of<stage_of_model<source, stage_of_model<source, 0, count>::error.empty() ? stage : 0, count>>;

template <int count, class M, std::size_t... stage>
constexpr auto stages_of(const M& model, std::index_sequence<stage...>) {
  return std::tuple{
      stage_model<typename M::source, static_cast<int>(stage), count>{model.name, model.names}...};
}

} // namespace detail

/// The stages of a model, one after the other: a tuple of so many models, std::get<0>(shard<2>(m)) the first. Layers of
/// its repeats are divided so that the largest stage has as few parameters as can be. A stage has the parameters of its
/// layers alone, under their names, and loads them from the weights of the model. Its inputs are those of the model that
/// it reads and "stage.0", "stage.1", ..., what earlier stages computed; its outputs are those of the model that it
/// computes and what later stages read, under the same names. Each is a model, to be compiled or streamed. A model with
/// fewer layers than stages is a compile-time error.
template <int count, class M>
requires(M::well_formed&& count >= 1) constexpr auto shard(const M& model) {
  return detail::stages_of<count>(model, std::make_index_sequence<static_cast<std::size_t>(count)>{});
}
/// A model with an error has said so already.
template <int count, class M>
requires(!M::well_formed) constexpr auto shard(const M& model) { return std::tuple{model}; }

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::shard;
} // namespace fovea
