#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/gradients/rules.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>

namespace fovea::core::detail {

/// A graph as it was, beneath its gradients: with the values of its loops' bodies that rules read, one for
/// each pass. They are kept by `stack` along a new first axis, and read back by `time_step`; numbers,
/// parameters and what is only a shape of these are made again instead, and so is what is cheap to compute
/// from values that are kept anyway. Of a repeat that recomputes only what it carries is kept.
template <std::size_t most>
struct forward_values {
  const graph_view& g;
  graph& to;
  std::int32_t mapped[most] = {}; // the node that was copied
  std::int32_t value[most] = {};  // what stands for it where gradients are being made, or -1
  bool active[most] = {};         // the loss may depend on it, and a gradient is wanted through it

  constexpr expr at(std::int32_t id) { return {&to, id}; }

  constexpr void find_active(bool of_inputs) {
    for (bool changed = true; changed;) {
      changed = false;
      for (int id = 0; id < g.node_count(); ++id) {
        const node& n = g.at(id);
        if (active[id] || !passes_gradient(n)) continue;
        bool now = n.kind == op::parameter || (of_inputs && n.kind == op::input);
        for (int k = 0; k < n.operand_count; ++k) now |= active[g.operand(id, k)];
        if (n.kind == op::carry) now |= active[g.region(n.region).results[n.settings.carried.index]];
        if (n.kind == op::range) now = false;
        active[id] = now;
        changed |= now;
      }
    }
  }
  constexpr bool is_within(int region, int outer) const {
    while (region != outer && region != 0) region = g.region(region).parent;
    return region == outer;
  }
  /// Whether a loop's body is computed again: it has no loop inside.
  constexpr bool recomputes(int region) const {
    const region_entry& r = g.region(region);
    if (!r.recompute) return false;
    for (int id = r.first; id < r.last; ++id)
      if (g.at(id).region != region) return false;
    return true;
  }
  /// Whether a node of a repeat is few operations a number, of operands that its gradient reads. Scans keep it:
  /// their passes are short.
  constexpr bool made_of_kept(int id) const {
    const node& n = g.at(id);
    if (!active[id] || n.region == 0 || g.region(n.region).is_scan()) return false;
    if (n.kind == op::multiply) return active[g.operand(id, 0)] && active[g.operand(id, 1)];
    return n.kind == op::layer_norm || n.kind == op::rms_norm || reads_operand(n.kind);
  }
  /// Whether a node is made again where its gradient is, rather than kept.
  constexpr bool made_again(int id) const {
    const node& n = g.at(id);
    if (n.region != 0 && recomputes(n.region)) return n.kind != op::carry;
    switch (n.kind) {
      case op::constant:
      case op::parameter:
      case op::time_step:
      case op::time_index:
      case op::dropout_mask:
        return true;
      case op::range:
      case op::transpose:
      case op::reshape:
      case op::slice:
      case op::broadcast:
        for (int k = 0; k < n.operand_count; ++k) {
          const int from = g.operand(id, k);
          if (g.at(from).region == n.region && (!made_again(from) || g.at(from).kind == op::time_step))
            return n.kind == op::range;
        }
        return true;
      default:
        return made_of_kept(id);
    }
  }

  constexpr std::int32_t emit(const node& made, std::int32_t operand) { return to.add(made, at(operand)).id; }
  constexpr std::int32_t copy(int id, const std::int32_t (&of)[most]) {
    // The length of a range is in its shape.
    return g.at(id).kind == op::range ? add_node(to, g.at(id), {}) : copy_node(to, g, id, of);
  }

  constexpr void run_forward(bool of_inputs) {
    for (std::int32_t& of : value) of = -1;
    find_active(of_inputs);
    write_graph(to, g, *this);
    write_outputs(to, g, [this](int id) { return mapped[id]; });
  }
  constexpr std::int32_t write(int id) { return value[id] = copy(id, mapped); }
  /// Keeps the values of a body that rules read.
  constexpr void last(int region) {
    const region_entry& body = g.region(region);
    for (int id = body.first; id < body.last; ++id) {
      const bool own = g.at(id).region == region;
      if (!own && !is_within(g.at(id).region, region)) continue;
      if (value[id] < 0 || g.at(id).kind == op::stack || (own && made_again(id))) {
        if (own) value[id] = -1;
        continue;
      }
      // What has no room for one axis more is refused where a rule reads it.
      value[id] = to.nodes[value[id]].shape.rank == shape::max_rank ? -1 : collected(value[id], 0, region);
    }
  }
  constexpr void after(int region) {
    const region_entry& body = g.region(region);
    for (int id = body.first; id < body.last; ++id)
      if (value[id] >= 0 && to.nodes[value[id]].kind == op::stack && to.nodes[value[id]].region == region &&
          g.at(id).kind != op::stack)
        value[id] = given_out(value[id], region);
  }
  constexpr void refuse_rank(const node& n) {
    to.call_site = {}; // where it was made, not where it is read
    to.fail(265, n.at, word_of(n), ": its gradient needs one axis more than the ", shape::max_rank,
            " that there are");
  }
  /// All passes' values of a node, along a new axis: inside the loop, and after it.
  constexpr std::int32_t collected(std::int32_t of, int axis, int region) {
    const node& n = to.nodes[of];
    if (n.shape.rank == shape::max_rank) {
      refuse_rank(n);
      return of;
    }
    const region_entry& r = to.regions[region];
    shape s;
    for (int i = 0; i <= n.shape.rank; ++i)
      s.push(i == axis ? (r.is_scan() ? r.time : to.intern(r.count)) : n.shape[i < axis ? i : i - 1]);
    return emit(
        {.kind = op::stack, .type = n.type, .shape = s, .settings = {.time = {axis, region}}, .at = n.at},
        of);
  }
  constexpr std::int32_t given_out(std::int32_t of, int region) {
    const node& n = to.nodes[of];
    return emit({.kind = op::scan_output,
                 .type = n.type,
                 .shape = n.shape,
                 .settings = {.carried = {0, region}},
                 .at = n.at},
                of);
  }
  /// This pass's part of it.
  constexpr std::int32_t taken(std::int32_t of, int axis, int region) {
    const node& n = to.nodes[of];
    shape s;
    for (int i = 0; i < n.shape.rank; ++i)
      if (i != axis) s.push(n.shape[i]);
    return emit(
        {.kind = op::time_step, .type = n.type, .shape = s, .settings = {.time = {axis, region}}, .at = n.at},
        of);
  }
};

} // namespace fovea::core::detail
