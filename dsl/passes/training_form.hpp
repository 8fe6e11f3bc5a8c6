#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <fovea/dsl/gradients/site.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/norm.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/gradient_name.hpp>

namespace fovea::core {

namespace detail {

/// Whether a model computes anything else while it is trained.
constexpr bool differs_in_training(const graph_view& g) {
  for (const node& n : g.nodes)
    if (n.kind == op::batch_norm || n.kind == op::dropout) return true;
  return false;
}

/// Writes a graph as it is computed while it is trained.
///   dropout     multiplies by a mask that is drawn anew in each step; attention's own by one of its weights
///   batch_norm  takes the mean and variance of the batch (Ioffe and Szegedy 2015, algorithm 1), through
///   which
///               gradients pass, and makes new values of the statistics that it gathers
template <std::size_t most>
struct training_writer {
  const graph_view& g;
  graph& to;
  std::int32_t made[most] = {}; // what stands for each node
  std::int32_t pass_of[graph::max_regions] =
      {}; // the number of a loop's pass, where something is drawn inside
  std::int32_t gathered[graph::max_parameters] = {}; // the new value of a statistic, or -1
  int draws = 0;

  constexpr expr value(int id) { return {&to, made[id]}; }
  constexpr expr operand(int id, int k) { return value(g.operand(id, k)); }

  constexpr void run() {
    bool drawn_in[graph::max_regions] = {};
    for (int id = 0; id < g.node_count(); ++id)
      if (g.at(id).kind == op::dropout)
        for (int r = g.at(id).region; r != 0; r = g.region(r).parent) drawn_in[r] = true;
    for (std::int32_t& statistic : gathered) statistic = -1;
    for (int id = 0; id < g.node_count() && to.error.empty(); ++id) {
      const node& n = g.at(id);
      const int region = n.region;
      const region_entry& body = g.region(region);
      to.current_region = region;
      if (region != 0 && id == body.first) to.regions[region].first = to.node_count;
      made[id] = write(id);
      if (region != 0 && id == body.first + body.carried - 1 && drawn_in[region])
        pass_of[region] = to.add({.kind = op::time_index,
                                  .type = element::i32,
                                  .settings = {.time = {0, region}},
                                  .at = n.at})
                              .id;
      for (int r = region; r != 0 && id == g.region(r).last - 1; r = g.region(r).parent) close(r);
    }
    to.current_region = 0;
    for (std::size_t i = 0; i < g.parameters.size(); ++i) to.parameters[i].node = made[g.parameters[i].node];
    for (const named_value& in : g.inputs) to.inputs[to.input_count++] = {in.name, made[in.node]};
  }

  /// New values that are made in each layer of a repeat leave it with the layers as their first axis.
  constexpr void close(int r) {
    const region_entry& body = g.region(r);
    for (int k = 0; k < body.carried; ++k) to.regions[r].results[k] = made[body.results[k]];
    const auto inside = [&](std::int32_t id) { return id >= 0 && to.nodes[id].region == r; };
    const auto stacked = [&](op kind, std::int32_t id, const shape& s) {
      const node_settings settings =
          kind == op::stack ? node_settings{.time = {0, r}} : node_settings{.carried = {0, r}};
      return to.add({.kind = kind, .shape = s, .settings = settings, .at = to.nodes[id].at}, expr{&to, id})
          .id;
    };
    for (std::int32_t& statistic : gathered)
      if (inside(statistic)) {
        shape s;
        s.push(to.intern(body.count));
        for (int i = 0; i < to.nodes[statistic].shape.rank; ++i) s.push(to.nodes[statistic].shape[i]);
        statistic = stacked(op::stack, statistic, s);
      }
    to.regions[r].last = to.node_count;
    to.current_region = body.parent;
    for (std::int32_t& statistic : gathered)
      if (inside(statistic)) statistic = stacked(op::scan_output, statistic, to.nodes[statistic].shape);
  }

  constexpr std::int32_t write(int id) {
    const node& n = g.at(id);
    if (n.kind == op::batch_norm) return normalised(id).id;
    if (n.kind == op::dropout)
      return n.settings.dropout.of_weights ? attended(id).id : thinned(operand(id, 0), n).id;
    const int scope_before = to.current_scope;
    to.current_scope = n.scope;
    node again = n;
    again.region = static_cast<std::uint8_t>(to.current_region);
    const expr x = to.add(again);
    to.current_scope = scope_before;
    for (int k = 0; k < n.operand_count && x.valid(); ++k) to.add_operand(operand(id, k));
    return x.id;
  }

  /// x without the elements that the mask of `drop` leaves out.
  constexpr expr thinned(expr x, const node& drop) {
    if (!x.valid()) return x;
    const expr mask = to.add({.kind = op::dropout_mask,
                              .shape = to.shape_of(x),
                              .settings = {.dropout = {drop.settings.dropout.rate, draws++}},
                              .at = drop.at});
    for (int r = to.current_region; r != 0 && mask.valid(); r = to.regions[r].parent)
      to.add_operand({&to, pass_of[r]});
    return located(x, drop.at) * located(mask, drop.at);
  }

  /// Attention by its weights, some of which are left out.
  constexpr expr attended(int id) {
    const source_place at = g.at(id).at;
    const int attention = g.operand(id, 0);
    const node& n = g.at(attention);
    const int heads = n.settings.attention.heads, kv_heads = n.settings.attention.kv_heads;
    const expr q = operand(attention, 0), k = operand(attention, 1), v = operand(attention, 2);
    node map = n;
    map.kind = op::attention_map;
    map.shape = {};
    if (n.shape.rank == 3) map.shape.push(n.shape[0]);
    map.shape.push(to.intern(heads)), map.shape.push(n.shape[-2]), map.shape.push(to.shape_of(k)[-2]);
    map.region = static_cast<std::uint8_t>(to.current_region);
    const shape weights = map.shape;
    const expr all = to.add(map, q, k, v);
    for (int i = 3; i < n.operand_count && all.valid(); ++i) to.add_operand(operand(attention, i));

    // Query heads of one key head stand one below the other: [batch, kv_heads, heads of each * queries,
    // keys].
    shape joint = weights, values = to.shape_of(v), mixed = weights;
    joint[-3] = to.intern(kv_heads), joint[-2] = to.intern(dim(heads / kv_heads) * to.dim_of(weights[-2]));
    const std::int64_t width = to.number(values[-1]) / kv_heads;
    values[-1] = to.intern(kv_heads), values.push(to.intern(width));
    mixed[-1] = to.intern(width);
    const int rank = values.rank;
    int exchange[shape::max_rank] = {0, 1, 2, 3};
    exchange[rank - 3] = rank - 2, exchange[rank - 2] = rank - 3;
    const expr by_heads = permute_axes(reshape_to(v, values, at), exchange, at);
    const expr sums = matmul(reshape_to(thinned(all, g.at(id)), joint, at), by_heads, at);
    return reshape_to(permute_axes(reshape_to(sums, mixed, at), exchange, at), n.shape, at);
  }

  constexpr expr normalised(int id) {
    const node& n = g.at(id);
    const source_place at = n.at;
    const auto l = [at](expr e) { return located(e, at); };
    for (int r = n.region; r != 0; r = g.region(r).parent)
      if (g.region(r).is_scan())
        return to.fail(216, at,
                       "batch_norm: in training it takes the statistics of the whole batch, which one "
                       "step of a scan does not have");
    const expr x = operand(id, 0), rows = as_matrix(x, at);
    const expr centre = mean(rows, axis(0), {}, at), apart = l(rows) - l(centre);
    const expr variance = mean(l(apart) * l(apart), axis(0), {}, at);
    const expr scaled =
        l(l(apart) / l(sqrt(l(variance) + located(n.settings.norm.epsilon, at), at))) * l(operand(id, 1));

    expr count = to.add({.kind = op::constant, .settings = {.number = 1}, .at = at});
    for (int i = 0; i < n.shape.rank - 1; ++i) count = l(count) * l(size_of_axis(to, n.shape[i], at));
    const expr unbiased = l(variance) * l(l(count) / l(max(l(count) - located(1.0, at), located(1.0, at))));
    gather_statistic(id, 3, centre);
    gather_statistic(id, 4, unbiased);
    return reshape_to(l(scaled) + l(operand(id, 2)), n.shape, at);
  }
  /// The running statistic that is operand k, moved on by the momentum towards that of this batch.
  constexpr void gather_statistic(int id, int k, expr of_batch) {
    const node& n = g.at(id);
    const expr before = operand(id, k), kept = stop_gradient(of_batch, n.at);
    const expr step =
        located(located(kept, n.at) - located(before, n.at), n.at) * located(n.settings.norm.momentum, n.at);
    gathered[g.at(g.operand(id, k)).settings.entry.index] = (located(before, n.at) + located(step, n.at)).id;
  }
};

} // namespace detail

/// A model as it is computed while it is trained, in its place. Outputs are its own, then "new.NAME" for each
/// parameter that training gathers rather than learns: what it is to be after the step, with the layers of
/// repeats as a first axis.
template <class M>
struct training_form {
  static constexpr const graph_view& from = M::view;

  struct outcome {
    graph made;
    std::int32_t outputs[graph::max_outputs] = {}, gathered[graph::max_parameters] = {};
    int gathered_count = 0;
  };
  struct source {
    static constexpr outcome write() {
      outcome o;
      detail::copy_tables(o.made, M::source::built);
      detail::training_writer<from.nodes.size()> pass{from, o.made};
      pass.run();
      if (!o.made.error.empty()) {
        for (std::int32_t& statistic : o.gathered) statistic = -1;
        return o;
      }
      for (std::size_t i = 0; i < from.outputs.size(); ++i) o.outputs[i] = pass.made[from.outputs[i].node];
      for (std::size_t p = 0; p < from.parameters.size(); ++p) {
        o.gathered[p] = pass.gathered[p];
        o.gathered_count += o.gathered[p] >= 0;
      }
      return o;
    }
    static constexpr outcome whole = write();
    static constexpr const graph& built = whole.made;
    static constexpr sentence error = built.error;
  };

  static constexpr auto image = detail::image_of<source>();
  static constexpr std::size_t output_count =
      from.outputs.size() + static_cast<std::size_t>(source::whole.gathered_count);
  static constexpr auto names = [] {
    std::array<detail::gradient_name, output_count> made{};
    std::size_t n = from.outputs.size();
    for (std::size_t p = 0; p < from.parameters.size(); ++p)
      if (source::whole.gathered[p] >= 0) made[n++] = {"new.", from.parameter_name(static_cast<int>(p)).text};
    return made;
  }();
  static constexpr auto outputs = [] {
    std::array<named_value, output_count> table{};
    std::size_t n = 0;
    for (; n < from.outputs.size(); ++n) table[n] = {from.outputs[n].name, source::whole.outputs[n]};
    for (std::size_t p = 0; p < from.parameters.size(); ++p)
      if (const std::int32_t id = source::whole.gathered[p]; id >= 0) {
        table[n] = {names[n].text, id};
        ++n;
      }
    return table;
  }();
  static constexpr graph_view view = [] {
    graph_view v = image.view();
    v.outputs = outputs;
    return v;
  }();
};

} // namespace fovea::core
