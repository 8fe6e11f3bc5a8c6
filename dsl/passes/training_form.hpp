#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fovea/dsl/gradients/site.hpp>
#include <fovea/dsl/norm.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/passes.hpp>
#include <fovea/dsl/ranks.hpp>

namespace fovea::core {

namespace detail {

/// Writes a graph as it is computed while it is trained.
///   dropout     multiplies by a mask that is drawn anew in each step; attention's own by one of its weights
///   batch_norm  takes the mean and variance of the batch (Ioffe and Szegedy 2015, algorithm 1), or of
///               those of all ranks, through which gradients pass, and makes new values of the statistics
///               that it gathers:
///               each parameter's `gathered`, with the layers of repeats
///               as a first axis
struct training_writer {
  const graph& source;
  graph& to;
  graph_view g = view_of_tables(source);
  std::int32_t mapped[graph::max_nodes] = {};
  // The number of a loop's pass, where something is drawn inside.
  std::int32_t pass_of[graph::max_regions] = {};
  bool drawn_in[graph::max_regions] = {};
  std::int32_t gathered[graph::max_parameters] = {}; // the new value of a statistic, or -1
  int draws = 0;

  constexpr expr operand(int id, int k) { return {&to, mapped[g.operand(id, k)]}; }

  constexpr void run() {
    for (const node& n : g.nodes)
      if (n.kind == op::dropout)
        for (int r = n.region; r != 0; r = g.region(r).parent) drawn_in[r] = true;
    for (std::int32_t& statistic : gathered) statistic = -1;
    copy_tables(to, source);
    write_graph(to, g, *this);
    write_outputs(to, g, [this](int id) { return mapped[id]; });
    for (std::size_t i = 0; i < g.parameters.size(); ++i) to.parameters[i].gathered = gathered[i];
  }

  /// New values that are made in each layer of a repeat leave it with the layers as their first axis.
  constexpr void last(int region) {
    for (std::int32_t& statistic : gathered) {
      if (statistic < 0 || to.nodes[statistic].region != region) continue;
      const node& each = to.nodes[statistic];
      shape all;
      all.push(to.intern(g.region(region).count));
      for (int i = 0; i < each.shape.rank; ++i) all.push(each.shape[i]);
      statistic =
          add_node(to, {.kind = op::stack, .shape = all, .settings = {.time = {0, region}}, .at = each.at},
                   {statistic});
    }
  }
  constexpr void after(int region) {
    for (std::int32_t& statistic : gathered) {
      if (statistic < 0 || to.nodes[statistic].region != region) continue;
      const node& all = to.nodes[statistic];
      statistic = add_node(
          to,
          {.kind = op::scan_output, .shape = all.shape, .settings = {.carried = {0, region}}, .at = all.at},
          {statistic});
    }
  }

  constexpr std::int32_t write(int id) {
    const node& n = g.at(id);
    if (n.kind == op::batch_norm) return normalised(id).id;
    if (n.kind == op::dropout)
      return n.settings.dropout.of_weights ? attended(id).id : thinned(operand(id, 0), n).id;
    const std::int32_t made = copy_node(to, g, id, mapped);
    if (const region_entry& body = g.region(n.region);
        n.region != 0 && id == body.first + body.carried - 1 && drawn_in[n.region])
      pass_of[n.region] = add_node(
          to, {.kind = op::time_index, .type = element::i32, .settings = {.time = {0, n.region}}, .at = n.at},
          {});
    return made;
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
    const expr centre = mean_over_ranks(mean(rows, axis(0), {}, at), at), apart = l(rows) - l(centre);
    const expr variance = mean_over_ranks(mean(l(apart) * l(apart), axis(0), {}, at), at);
    const expr scaled =
        l(l(apart) / l(sqrt(l(variance) + located(n.settings.norm.epsilon, at), at))) * l(operand(id, 1));

    expr count = count_of_ranks(to, at);
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

/// Whether a model computes anything else while it is trained.
constexpr bool differs_in_training(const graph& g) {
  for (int id = 0; id < g.node_count; ++id)
    if (g.nodes[id].kind == op::batch_norm || g.nodes[id].kind == op::dropout) return true;
  return false;
}

} // namespace detail

struct passes::training_form {
  static constexpr const char* name = "training_form";
  /// A model that computes nothing else while it is trained is its own.
  template <class before>
  using made = std::conditional_t<detail::differs_in_training(before::built),
                                  detail::written_by<detail::training_writer, before>, before>;
};

} // namespace fovea::core
