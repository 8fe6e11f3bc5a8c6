#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core {

/// How the nodes of a graph fall into groups that are computed in one pass each.
///   live[n]   an output depends on n
///   root[n]   the node whose value the group of n stores: n itself, or a later node
///   base[n]   the node whose storage n's value lies in: n, or what n only renames
///             (reshape, repeat_output, ...)
template <std::size_t nodes>
struct fusion {
  bool live[nodes] = {};
  std::int32_t root[nodes] = {}, base[nodes] = {}, uses[nodes] = {};
  /// Of the root of a product: the linear or matmul, its activation (`activations`, or none), and what it is
  /// joined with, by add or multiply, or none.
  std::int32_t product[nodes] = {}, other[nodes] = {};
  std::int32_t norm[nodes] = {}; // of a product: the batch_norm that its packed weights contain, or -1
  bool largest[nodes] = {};      // of the root of a convolution: only the largest value over time is stored
  op activation[nodes] = {}, join[nodes] = {};
  bool viewed[nodes] = {}; // a slice of features, or a turned left side, that who uses it reads where it lies
  // Read where it lies: a pass's part of a sequence whose first axis counts passes, one of the values that an
  // operation gives one behind the other.
  bool taken[nodes] = {};

  /// Whether a step makes the value of node `id` in storage of its own.
  constexpr bool is_root(int id) const { return live[id] && root[id] == id && base[id] == id && !viewed[id]; }
};

/// The parameter behind the right side of a product, or -1: linear(x, w), matmul(x, w), matmul(x,
/// transpose(w)), expert_linear and convolutions have weights that a backend may prepare once.
constexpr std::int32_t fixed_weight(const graph_view& g, int id) {
  const node& n = g.at(id);
  if (n.kind == op::linear || n.kind == op::expert_linear || is_convolution(n.kind)) return g.operand(id, 1);
  if (n.kind != op::matmul) return -1;
  int right = g.operand(id, 1);
  if (g.at(right).kind == op::transpose) right = g.operand(right, 0);
  return g.at(right).kind == op::parameter && g.at(right).shape.rank == 2 ? right : -1;
}

/// Whether the columns of a product's weights are its outputs, as in matmul(x, w), rather than their rows.
constexpr bool is_from_columns(const graph_view& g, int id) {
  return g.at(id).kind == op::matmul && g.at(g.operand(id, 1)).kind != op::transpose;
}

/// A convolution of windows of one position, next to each other: a linear map of each position.
constexpr bool is_pointwise(const graph_view& g, int id) {
  if (!is_convolution(g.at(id).kind) || is_transposed(g.at(id).kind)) return false;
  const sliding_window& w = g.window_of(id);
  return w.taps() == 1 && w.stride[0] == 1 && w.stride[1] == 1 && w.padding(0) == 0 && w.padding(1) == 0 &&
         w.groups == 1;
}

namespace detail {

/// A norm by statistics that are parameters, as all its operands but the first are: it scales and shifts the
/// columns of the product before it.
constexpr bool is_norm_of(const graph_view& g, int id, int product) {
  const node &n = g.at(id), &p = g.at(product);
  if (n.kind != op::batch_norm || (p.kind != op::linear && !is_convolution(p.kind))) return false;
  for (int k = 1; k < n.operand_count; ++k)
    if (g.at(g.operand(id, k)).kind != op::parameter) return false;
  return p.operand_count < 3 || g.at(g.operand(product, 2)).kind == op::parameter;
}

/// max_over time of a convolution that has a step of its own.
constexpr bool is_largest_of(const graph_view& g, int id, int product) {
  const node& n = g.at(id);
  if (n.kind != op::max_over || g.at(product).kind != op::conv1d || is_pointwise(g, product)) return false;
  return n.settings.along.axis == g.at(product).shape.rank - 2 && g.window_of(product).groups == 1;
}

constexpr bool renames(op kind) { return operation_of(kind).costs == cost::nothing; }

/// Into `live` and `uses` of f.
template <class F>
constexpr void find_live(const graph_view& g, F& f) {
  for (const named_value& out : g.outputs) f.live[out.node] = true;
  const auto mark = [&](int id) {
    f.live[id] = true;
    ++f.uses[id];
  };
  for (const named_value& in : g.inputs) f.live[in.node] = true;
  for (int id = 0; id < g.node_count(); ++id) f.live[id] |= g.at(id).kind == op::keep;
  for (int id = g.node_count() - 1; id >= 0; --id) {
    const node& n = g.at(id);
    if (n.kind == op::repeat_output || n.kind == op::scan_output) {
      // One output of a repeat or scan needs all that it carries.
      const region_entry& r = g.region(n.settings.carried.region);
      if (f.live[id] && !f.live[r.first])
        for (int k = 0; k < r.carried; ++k) {
          mark(r.results[k]);
          ++f.uses[r.results[k]]; // never fused away
          f.live[r.first + k] = true;
        }
    }
    if (!f.live[id]) continue;
    // The sizes that `range` and `sinusoidal` take from their operand are all they need of it.
    if (n.kind == op::range || n.kind == op::sinusoidal) continue;
    const bool weight_only = fixed_weight(g, id) >= 0;
    for (int k = 0; k < n.operand_count; ++k)
      if (!(weight_only && k == 1)) mark(g.operand(id, k));
  }
  for (const named_value& out : g.outputs) f.uses[out.node] += 2; // never fused away
}

} // namespace detail

/// Which nodes an output needs, and how often each is used.
template <std::size_t nodes>
constexpr fusion<nodes> live_nodes(const graph_view& g) {
  fusion<nodes> f;
  detail::find_live(g, f);
  return f;
}

/// Products take a norm into their weights, and an activation, a sum or product of the same shape as their
/// epilogue.
template <std::size_t nodes>
constexpr fusion<nodes> fuse_epilogues(const graph_view& g, fusion<nodes> f) {
  std::int32_t last_user[nodes] = {};
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    f.root[id] = f.base[id] = id;
    f.product[id] = f.other[id] = f.norm[id] = last_user[id] = -1;
    if (!f.live[id]) continue;
    if (detail::renames(n.kind) || n.kind == op::scan_output) f.base[id] = f.base[g.operand(id, 0)];
    f.taken[id] = n.kind == op::time_step && n.settings.time.axis == 0;
    if (n.kind == op::repeat_output)
      f.base[id] = g.region(n.settings.carried.region).first + n.settings.carried.index;
    for (int k = 0; k < n.operand_count; ++k) last_user[g.operand(id, k)] = id;
  }
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    if (!f.live[id] || fixed_weight(g, id) < 0 || n.kind == op::expert_linear) continue;
    int root = id;
    const auto next = [&] {
      const std::int32_t user = f.uses[root] == 1 ? last_user[root] : -1;
      return user >= 0 && g.at(user).region == n.region && g.at(user).shape == n.shape ? user : -1;
    };
    if (const int user = next(); user >= 0 && detail::is_norm_of(g, user, id)) f.norm[id] = root = user;
    op act = op::none, join = op::none;
    int other = -1;
    if (const int user = next(); user >= 0 && is_activation(g.at(user).kind)) {
      act = g.at(user).kind;
      root = user;
    }
    // Of two products that meet, the first takes the other's result.
    if (const int user = next();
        user >= 0 && (g.at(user).kind == op::add || g.at(user).kind == op::multiply) && f.product[user] < 0) {
      const int beside = g.operand(user, 0) == root ? g.operand(user, 1) : g.operand(user, 0);
      if (g.at(beside).shape == n.shape && g.at(beside).type == element::f32) {
        join = g.at(user).kind;
        other = beside;
        root = user;
      }
    }
    if (const int user = f.uses[root] == 1 ? last_user[root] : -1; user >= 0 && join == op::none &&
                                                                   g.at(user).region == n.region &&
                                                                   detail::is_largest_of(g, user, id)) {
      root = user;
      f.largest[root] = true;
    }
    for (int k = id; k != root;) {
      f.root[k] = root;
      k = last_user[k];
    }
    f.product[root] = id, f.activation[root] = act, f.join[root] = join, f.other[root] = other;
  }
  return f;
}

/// What one pass over elements computes at most, and reads.
inline constexpr int max_chain_members = 64, max_chain_leaves = 16;

namespace detail {

/// A group of elementwise nodes as it grows from its last node back: how many there are, and what they read.
struct chain_size {
  int members = 0, leaf_count = 0;
  std::int32_t leaves[max_chain_leaves] = {};

  /// With node `id`, which the others may read, as one more member; false where that is too much.
  constexpr bool add(const graph_view& g, int id) {
    chain_size grown = *this;
    for (int i = 0; i < grown.leaf_count; ++i)
      if (grown.leaves[i] == id) grown.leaves[i--] = grown.leaves[--grown.leaf_count];
    for (int k = 0; k < g.at(id).operand_count; ++k) {
      const int from = g.operand(id, k);
      bool known = g.at(from).kind == op::constant;
      for (int i = 0; i < grown.leaf_count; ++i) known |= grown.leaves[i] == from;
      if (known) continue;
      if (grown.leaf_count == max_chain_leaves) return false;
      grown.leaves[grown.leaf_count++] = from;
    }
    if (++grown.members > max_chain_members) return false;
    *this = grown;
    return true;
  }
};

} // namespace detail

/// Elementwise nodes join the group of their users, where all users are in one group of the same shape that
/// has room for them.
template <std::size_t nodes>
constexpr fusion<nodes> fuse_chains(const graph_view& g, fusion<nodes> f) {
  std::int32_t group[nodes] = {};       // the group of a node's users, -2 where they differ
  bool only_chains[nodes] = {};         // whether all of them are elementwise
  detail::chain_size sizes[nodes] = {}; // of the group that ends at a node
  for (std::size_t i = 0; i < nodes; ++i) group[i] = -1, only_chains[i] = true;
  for (int id = g.node_count() - 1; id >= 0; --id) {
    if (!f.live[id]) continue;
    const node& n = g.at(id);
    const bool chained =
        is_elementwise(n.kind) && !detail::renames(n.kind) && f.root[id] == id && f.product[id] < 0;
    if (chained && group[id] >= 0 && f.uses[id] > 0) {
      const node& into = g.at(group[id]);
      bool output = false;
      for (const named_value& out : g.outputs) output |= out.node == id;
      if (!output && into.shape == n.shape && into.region == n.region && sizes[group[id]].add(g, id))
        f.root[id] = group[id];
    }
    if (chained && f.root[id] == id) sizes[id].add(g, id);
    const std::int32_t mine = chained ? f.root[id] : -2;
    for (int k = 0; k < n.operand_count; ++k) {
      only_chains[g.operand(id, k)] &= chained;
      std::int32_t& theirs = group[g.operand(id, k)];
      theirs = theirs == -1 || theirs == mine ? mine : -2;
    }
    // What a repeat or scan carries on is stored.
    if (n.kind == op::repeat_output || n.kind == op::scan_output) {
      const region_entry& r = g.region(n.settings.carried.region);
      for (int k = 0; k < r.carried; ++k) group[r.results[k]] = -2, only_chains[r.results[k]] = false;
    }
  }
  for (const named_value& out : g.outputs) only_chains[out.node] = false;
  for (int id = 0; id < g.node_count(); ++id)
    f.viewed[id] = f.live[id] && g.at(id).kind == op::slice && only_chains[id] &&
                   g.at(id).settings.slice.axis == g.at(id).shape.rank - 1 &&
                   g.at(g.operand(id, 0)).kind != op::cache && !f.viewed[f.base[g.operand(id, 0)]];
  return f;
}

/// Of several values one behind the other each is read where it lies, unless it leaves the graph or a loop.
template <std::size_t nodes>
constexpr fusion<nodes> take_parts(const graph_view& g, fusion<nodes> f) {
  bool leaves[nodes] = {};
  for (const named_value& out : g.outputs) leaves[f.base[out.node]] = true;
  for (const region_entry& r : g.regions)
    for (int k = 0; k < r.carried; ++k) leaves[f.base[r.results[k]]] = true;
  for (int id = 0; id < g.node_count(); ++id)
    if (f.live[id] && g.at(id).kind == op::slice && gives_several(g.at(g.operand(id, 0)).kind) && !leaves[id])
      f.taken[id] = true, f.viewed[id] = false;
  return f;
}

/// A transposition that is only the left side of products of two computed matrices is read where it lies.
template <std::size_t nodes>
constexpr fusion<nodes> view_turned(const graph_view& g, fusion<nodes> f) {
  std::int32_t as_left[nodes] = {};
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    if (f.live[id] && n.kind == op::matmul && fixed_weight(g, id) < 0 && n.shape.rank == 2)
      ++as_left[g.operand(id, 0)];
  }
  for (int id = 0; id < g.node_count(); ++id)
    if (g.at(id).kind == op::transpose && as_left[id] > 0 && as_left[id] == f.uses[id] &&
        !f.viewed[f.base[g.operand(id, 0)]])
      f.viewed[id] = true;
  return f;
}

} // namespace fovea::core
