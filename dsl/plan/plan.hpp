#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fovea/dsl/plan/extent.hpp>
#include <fovea/dsl/plan/fuse.hpp>

namespace fovea::core {

enum class step_kind : std::uint8_t {
  product,     // linear, or matmul by weights, with its epilogue; several that share their left side
  convolution, // but for pointwise ones, which are products; with its epilogue
  matmul,      // of two computed values; with the sums over the rows of a turned left side
  chain,       // elementwise nodes in one pass
  loop_begin,  // of a repeat or a scan
  loop_end,
  single, // one node by itself, by its op
};

/// One unit of work.
///   node         whose value it makes; for loops, the region
///   first, count the parts of a product, convolution or matmul in plan::parts; the matching step of a loop
///   temporary    slots that only this step uses, or -1
struct step {
  step_kind kind = step_kind::single;
  std::int32_t node = 0;
  std::int32_t first = 0, count = 0;
  std::int32_t temporary[2] = {-1, -1};
};

/// One value that a loop carries: read from `slot`, written to `next`, and the two exchanged after each pass.
///   initial  the node it begins as, or -1 where that node's slot is taken over
///   copied   the node to copy to `next` at the end of a pass, or -1 where the body writes there itself
struct carried_value {
  std::int32_t slot = -1, next = -1, initial = -1, copied = -1;
};

/// Where a value lies.
enum class lies : std::uint8_t {
  nowhere,   // a number that chains have in their code, or part of a group that keeps it in registers
  slot,      // in a slot
  each_pass, // in a slot, behind those of the passes before of the loop around it
  parameter, // with the weights
  kept,      // among the values that a stream keeps
  inside,    // inside its operand: this pass's part of it, or the part that a slice is
};
/// `index` is that of the slot, the parameter, or the kept value.
struct place {
  lies where = lies::nowhere;
  std::int32_t index = -1;

  constexpr bool in_slot() const { return where == lies::slot || where == lies::each_pass; }
};

/// What a chain computes, in order, and what it reads beside numbers, each once: so many of plan::members and
/// plan::leaves.
struct chain_range {
  std::int32_t first_member = 0, members = 0, first_leaf = 0, leaves = 0;
};

/// The order of the work and where each value lies. Made at compile time, all of it linear in the number of
/// nodes but for the choice of a slot.
///   places[n]     of a node that others are renamings of (fusion::base)
///   handed_on[n]  where the output is kept that is input n itself, or -1
///   chains[n]     of the chain whose value n is
template <std::size_t nodes, std::size_t regions>
struct plan {
  static constexpr int max_slots = nodes < 96 ? 96 : nodes < 512 ? static_cast<int>(nodes) : 512;

  fusion<nodes> groups{};
  step steps[nodes + 2 * regions] = {};
  int step_count = 0;
  std::int32_t parts[nodes] = {}; // roots of products and convolutions; matmuls and the sums that they make
  int part_count = 0;
  place places[nodes] = {};
  std::int32_t handed_on[nodes] = {};
  chain_range chains[nodes] = {};
  std::int32_t members[nodes] = {},
               leaves[3 * nodes] = {}; // an operation of a chain has at most three operands
  extent slots[max_slots] = {};
  int slot_count = 0;
  carried_value carried[regions][region_entry::max_carried] = {};
  bool overflow = false; // more slots needed than there are

  constexpr int base(int node) const { return groups.base[node]; }
  /// Of the chain whose value a node is.
  constexpr std::span<const std::int32_t> members_of(int node) const {
    return {members + chains[node].first_member, static_cast<std::size_t>(chains[node].members)};
  }
  constexpr std::span<const std::int32_t> leaves_of(int node) const {
    return {leaves + chains[node].first_leaf, static_cast<std::size_t>(chains[node].leaves)};
  }
};

/// The most parts of its rows that the gradient of a norm sums on their own.
inline constexpr int norm_gradient_parts = 64;

namespace detail {

/// What a step needs for itself alone beside its result: up to two extents, of which those of factor 0 are
/// none.
template <std::size_t nodes, std::size_t regions>
constexpr std::array<extent, 2> scratch_of(const graph_view& g, const plan<nodes, regions>& p,
                                           const step& s) {
  constexpr extent none{.factor = 0};
  const node& n = g.at(s.node);
  const auto shape_of = [&](int k) -> const shape& { return g.at(g.operand(s.node, k)).shape; };
  if (s.kind == step_kind::matmul &&
      !p.groups.viewed[g.operand(s.node, 0)]) { // the right side in another order
    const shape& right = shape_of(1);
    extent side;
    side.multiply(g, right[-2]);
    if (g.is_number(right[-1]))
      side.factor *= (g.number(right[-1]) + 63) / 64 * 64;
    else
      side.rounded = right[-1];
    return {side, none};
  }
  if (n.kind == op::attention || n.kind == op::attention_gradient) {
    const attention_settings& o = n.settings.attention;
    const shape& q = shape_of(0);
    extent bounds{.factor = 2}; // the first and the last key of each query
    extent uniform{.factor = o.heads * 2 * scalar_function::max_nodes}; // what lambdas have of a head alone
    bounds.multiply(g, q[-2]);
    if (q.rank == 3) {
      bounds.multiply(g, q[0]);
      uniform.multiply(g, q[0]);
    }
    return {o.mask >= 0 ? bounds : none, o.score >= 0 || o.mask >= 0 ? uniform : none};
  }
  if (n.kind == op::layer_norm_gradient || n.kind == op::rms_norm_gradient) {
    extent sums{.factor = norm_gradient_parts * 2}; // of the weight's and the bias's gradient
    sums.multiply(g, shape_of(0)[-1]);
    return {sums, none};
  }
  if (n.kind == op::conv_weight_gradient) return {extent_of(g, n.shape), none}; // the sums, taps outermost
  return {none, none};
}

} // namespace detail

/// A plan without its sizes in the type, for code that is compiled once.
struct plan_view {
  const bool *live, *viewed, *largest;
  const std::int32_t *base, *product, *other, *norm;
  const op* activation;
  const op* join;
  const step* steps;
  int step_count;
  const std::int32_t *parts, *handed_on;
  const place* places;
  const chain_range* chains;
  const std::int32_t *members, *leaves;
  const extent* slots;
  int slot_count;
  const carried_value (*carried)[region_entry::max_carried];

  template <std::size_t nodes, std::size_t regions>
  explicit constexpr plan_view(const plan<nodes, regions>& p)
      : live(p.groups.live), viewed(p.groups.viewed), largest(p.groups.largest), base(p.groups.base),
        product(p.groups.product), other(p.groups.other), norm(p.groups.norm),
        activation(p.groups.activation), join(p.groups.join), steps(p.steps), step_count(p.step_count),
        parts(p.parts), handed_on(p.handed_on), places(p.places), chains(p.chains), members(p.members),
        leaves(p.leaves), slots(p.slots), slot_count(p.slot_count), carried(p.carried) {}
};

namespace detail {

template <std::size_t nodes, std::size_t regions>
struct planner {
  graph_view g;
  plan<nodes, regions> p{};
  std::int32_t last_use[nodes] = {}; // the last step that reads a node's storage
  std::int32_t loop_begin[regions] = {}, loop_end[regions] = {};
  bool free[plan<nodes, regions>::max_slots] = {};
  std::int32_t slot[nodes] = {}; // or -1
  bool collected[nodes] = {};    // it has a place for each pass

  constexpr void add(step s) { p.steps[p.step_count++] = s; }

  static constexpr bool has_parts(const step& s) {
    return s.kind == step_kind::product || s.kind == step_kind::convolution || s.kind == step_kind::matmul;
  }
  constexpr bool is_root(int id) const {
    return p.groups.live[id] && p.groups.root[id] == id && p.groups.base[id] == id && !p.groups.viewed[id];
  }

  constexpr bool is_dense(int root) const {
    const int id = p.groups.product[root];
    return id >= 0 && (!is_convolution(g.at(id).kind) || is_pointwise(g, id));
  }

  // Products of one left side, without a joined value, become one step where the first of them stands, and so
  // do convolutions.
  constexpr void add_product(int id, bool (&done)[nodes]) {
    step s{.kind = is_dense(id) ? step_kind::product : step_kind::convolution,
           .node = id,
           .first = p.part_count};
    const auto add_part = [&](int root) {
      p.parts[p.part_count++] = root;
      ++s.count;
      done[root] = true;
    };
    add_part(id);
    const int left = p.base(g.operand(p.groups.product[id], 0));
    constexpr int most_parts = 4, horizon = 12;
    if (p.groups.join[id] == op::none)
      for (int k = id + 1; k < g.node_count() && k < id + horizon && s.count < most_parts; ++k)
        if (is_root(k) && !done[k] && p.groups.product[k] >= 0 && is_dense(k) == is_dense(id) &&
            p.groups.join[k] == op::none && g.at(k).region == g.at(id).region &&
            p.base(g.operand(p.groups.product[k], 0)) == left && g.at(k).shape.rank == g.at(id).shape.rank)
          add_part(k);
    add(s);
  }

  // What reads a turned left side d also sums its rows, where someone wants that: of a linear map the
  // gradients of weight and bias are d^T x and the sum of d.
  constexpr void add_matmul(int id, bool (&done)[nodes]) {
    step s{.kind = step_kind::matmul, .node = id, .first = p.part_count, .count = 1};
    p.parts[p.part_count++] = id;
    const int left = g.operand(id, 0);
    constexpr int horizon = 12;
    if (p.groups.viewed[left])
      for (int k = id + 1; k < g.node_count() && k < id + horizon && s.count == 1; ++k) {
        const node& n = g.at(k);
        if (n.kind != op::sum || n.settings.along.axis != 0 || n.region != g.at(id).region || !is_root(k) ||
            done[k])
          continue;
        const int summed = g.operand(k, 0), turned = g.operand(left, 0);
        if (p.base(summed) != p.base(turned) || !(g.at(summed).shape == g.at(turned).shape)) continue;
        p.parts[p.part_count++] = k;
        ++s.count;
        done[k] = true;
      }
    add(s);
  }

  constexpr void order() {
    bool done[nodes] = {}, stored[nodes] = {};
    // Chains write numbers into their code; other users, and outputs, need them in memory.
    for (const named_value& out : g.outputs) stored[p.base(out.node)] = true;
    for (int id = 0; id < g.node_count(); ++id)
      if (p.groups.live[id] && !is_elementwise(g.at(id).kind))
        for (int k = 0; k < g.at(id).operand_count; ++k) stored[p.base(g.operand(id, k))] = true;
    int region = 0;
    for (int id = 0; id <= g.node_count(); ++id) {
      const int inside = id < g.node_count() ? g.at(id).region : 0;
      while (region != inside && !within(inside, region)) {
        if (live_region(region)) {
          loop_end[region] = p.step_count;
          p.steps[loop_begin[region]].first = p.step_count;
          add({.kind = step_kind::loop_end, .node = region, .first = loop_begin[region]});
        }
        region = g.region(region).parent;
      }
      if (id == g.node_count()) break;
      while (region != inside) {
        int next = inside;
        while (g.region(next).parent != region) next = g.region(next).parent;
        region = next;
        if (live_region(region)) {
          loop_begin[region] = p.step_count;
          add({.kind = step_kind::loop_begin, .node = region});
        }
      }
      if (!is_root(id) || done[id]) continue;
      const node& n = g.at(id);
      if (p.groups.product[id] >= 0) {
        add_product(id, done);
        continue;
      }
      switch (n.kind) {
        case op::input:
        case op::parameter:
        case op::carry:
        case op::state:
          break;
        case op::constant:
          if (stored[id]) add({.kind = step_kind::chain, .node = id});
          break;
        case op::matmul:
          add_matmul(id, done);
          break;
        default:
          add({.kind = is_elementwise(n.kind) ? step_kind::chain : step_kind::single, .node = id});
      }
    }
  }
  constexpr void find_chains() {
    bool is_chain[nodes] = {};
    for (int i = 0; i < p.step_count; ++i) is_chain[p.steps[i].node] |= p.steps[i].kind == step_kind::chain;
    const auto chain_of = [&](int id) {
      const int root = p.groups.root[id];
      return is_chain[root] && (id == root || p.groups.product[id] < 0) ? root : -1;
    };
    for (int id = 0; id < g.node_count(); ++id)
      if (const int root = chain_of(id); root >= 0) ++p.chains[root].members;
    std::int32_t first = 0, filled[nodes] = {};
    for (int id = 0; id < g.node_count(); ++id) {
      p.chains[id].first_member = first;
      first += p.chains[id].members;
    }
    for (int id = 0; id < g.node_count(); ++id)
      if (const int root = chain_of(id); root >= 0)
        p.members[p.chains[root].first_member + filled[root]++] = id;
    std::int32_t next = 0;
    for (int root = 0; root < g.node_count(); ++root) {
      chain_range& c = p.chains[root];
      c.first_leaf = next;
      for (int m = c.first_member; m < c.first_member + c.members; ++m)
        for (int k = 0; k < g.at(p.members[m]).operand_count; ++k) {
          const int from = g.operand(p.members[m], k);
          bool known = chain_of(from) == root || g.at(from).kind == op::constant;
          for (int i = c.first_leaf; i < next; ++i) known |= p.leaves[i] == from;
          if (!known) p.leaves[next++] = from;
        }
      c.leaves = next - c.first_leaf;
    }
  }

  /// Whether a node collects the outputs of a scan, whose region is given.
  constexpr bool stacks(int id, int r) const {
    return g.at(id).kind == op::stack && g.at(id).region == r && p.groups.live[id];
  }
  /// Whether a value lies in a place that was its own before its step: a scan's outputs, what a stream keeps.
  static constexpr bool has_own_place(op kind) {
    return kind == op::stack || kind == op::cache || kind == op::keep;
  }
  /// Whether a step of the loop that stacks its result b along a first axis can write it there at once.
  constexpr bool collects(int stack, int b) const {
    const node &n = g.at(stack), &of = g.at(b);
    return n.settings.time.axis == 0 && of.region == n.region && slot[b] == -1 && !p.groups.taken[b] &&
           !p.groups.viewed[b] && is_root(b) && of.kind != op::carry && of.kind != op::parameter &&
           of.kind != op::input && of.kind != op::constant && !has_own_place(of.kind);
  }
  constexpr bool live_region(int r) const {
    for (int id = g.region(r).first; id < g.region(r).last; ++id)
      if (p.groups.live[id]) return true;
    return false;
  }
  constexpr bool within(int r, int outer) const {
    while (r != outer && r != 0) r = g.region(r).parent;
    return r == outer;
  }
  // The step at which a value of region `home` is needed by a step of region `where`: inside a loop, until it
  // ends.
  constexpr int until(int s, int where, int home) const {
    for (int r = where; r != home && r != 0; r = g.region(r).parent) s = loop_end[r];
    return s;
  }
  constexpr int home_of(int base) const {
    const node& n = g.at(base);
    return n.kind == op::carry || n.kind == op::stack ? g.region(n.region).parent : n.region;
  }
  constexpr void need(int id, int s, int where) {
    int b = p.base(id);
    while (p.groups.viewed[b] || p.groups.taken[b]) b = p.base(g.operand(b, 0));
    const int last = until(s, where, home_of(b));
    if (last_use[b] < last) last_use[b] = last;
  }

  constexpr void find_last_uses() {
    std::int32_t step_of[nodes] = {};
    for (int i = 0; i < p.step_count; ++i) {
      const step& s = p.steps[i];
      if (s.kind == step_kind::loop_begin || s.kind == step_kind::loop_end) {
        const region_entry& r = g.region(s.node);
        for (int k = 0; k < r.carried; ++k)
          if (s.kind == step_kind::loop_begin)
            need(g.operand(r.first + k, 0), i, r.parent);
          else
            need(r.results[k], i, s.node);
        if (s.kind == step_kind::loop_end)
          for (int id = r.first; id < r.last; ++id)
            if (stacks(id, s.node)) need(id, i, r.parent);
        continue;
      }
      step_of[s.node] = i;
      if (has_parts(s))
        for (int k = 0; k < s.count; ++k) step_of[p.parts[s.first + k]] = i;
    }
    for (int id = 0; id < g.node_count(); ++id) {
      if (!p.groups.live[id] || p.groups.base[id] != id) continue;
      const node& n = g.at(id);
      if (n.kind == op::range || n.kind == op::sinusoidal || n.kind == op::carry || n.kind == op::input)
        continue;
      const bool weight_only = fixed_weight(g, id) >= 0;
      for (int k = 0; k < n.operand_count; ++k)
        if (!(weight_only && k == 1)) need(g.operand(id, k), step_of[p.groups.root[id]], n.region);
    }
    for (const named_value& out : g.outputs) last_use[p.base(out.node)] = p.step_count;
  }

  constexpr int new_slot(const extent& e) {
    if (p.slot_count == plan<nodes, regions>::max_slots) {
      p.overflow = true;
      return 0;
    }
    p.slots[p.slot_count] = e;
    return p.slot_count++;
  }
  // The smallest free slot that is large enough, else the largest that can grow, else a new one.
  constexpr int take(const extent& e) {
    int best = -1;
    for (int i = 0; i < p.slot_count; ++i) {
      if (!free[i] || !same_dims(p.slots[i], e)) continue;
      const std::int64_t size = p.slots[i].factor, chosen = best < 0 ? 0 : p.slots[best].factor;
      const bool better =
          best < 0 || (chosen >= e.factor ? size >= e.factor && size < chosen : size > chosen);
      if (better) best = i;
    }
    if (best < 0) return new_slot(e);
    free[best] = false;
    if (p.slots[best].factor < e.factor) p.slots[best].factor = e.factor;
    return best;
  }

  constexpr void place_loop(int i, bool (&kept)[plan<nodes, regions>::max_slots]) {
    const int region = p.steps[i].node;
    const region_entry& r = g.region(region);
    for (int k = 0; k < r.carried; ++k) {
      carried_value& c = p.carried[region][k];
      const extent e = extent_of(g, g.at(r.first + k).shape);
      const int initial = p.base(g.operand(r.first + k, 0));
      bool taken = false;
      for (int j = 0; j < k; ++j) taken |= p.base(g.operand(r.first + j, 0)) == initial;
      // The exchange of slots is undone before each call, so only outermost loops can take a slot over.
      const bool take_over = r.parent == 0 && !taken && slot[initial] >= 0 && last_use[initial] == i &&
                             g.at(initial).kind != op::input && g.at(initial).kind != op::carry;
      c.slot = take_over ? slot[initial] : new_slot(e);
      c.initial = take_over ? -1 : g.operand(r.first + k, 0);
      c.next = new_slot(e);
      kept[c.slot] = kept[c.next] = true;
      slot[r.first + k] = c.slot;
      const int result = p.base(r.results[k]);
      bool own = g.at(result).region == region && g.at(result).kind != op::carry;
      for (int j = 0; j < k; ++j) own &= p.base(r.results[j]) != result;
      c.copied = own ? -1 : r.results[k];
      if (own) slot[result] = c.next;
    }
  }

  constexpr void place() {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      slot[i] = -1;
      p.handed_on[i] = -1;
    }
    bool kept[plan<nodes, regions>::max_slots] = {};
    // Values by the step after which they are free: lists through `next`.
    std::int32_t freed[nodes + 2 * regions + 1] = {};
    std::int32_t next[nodes] = {};
    for (std::int32_t& head : freed) head = -1;
    const auto store = [&](int id) {
      if (slot[id] < 0) slot[id] = take(extent_of(g, g.at(id).shape));
      const int after = last_use[id];
      next[id] = freed[after];
      freed[after] = id;
    };
    for (const named_value& in : g.inputs) {
      store(in.node);
      kept[slot[in.node]] = true;
    }
    // Nothing else is written where inputs lie, and they are no outputs: a call may read them where its
    // caller has them, and that may be an output of the call before.
    for (const named_value& out : g.outputs)
      if (const int b = p.base(out.node); g.at(b).kind == op::input && p.handed_on[b] < 0)
        p.handed_on[b] = new_slot(extent_of(g, g.at(b).shape));
    for (int i = 0; i < p.step_count; ++i) {
      step& s = p.steps[i];
      if (s.kind == step_kind::loop_begin) {
        place_loop(i, kept);
        const region_entry& r = g.region(s.node);
        for (int id = r.first; id < r.last; ++id)
          if (stacks(id, s.node)) {
            store(id);
            if (const int b = p.base(g.operand(id, 0)); collects(id, b)) {
              slot[b] = slot[id];
              collected[b] = true;
            }
          }
      } else if (s.kind != step_kind::loop_end) {
        const auto store_own = [&](int id) {
          if (!collected[id]) store(id);
        };
        if (has_parts(s))
          for (int k = 0; k < s.count; ++k) store_own(p.parts[s.first + k]);
        else if (!has_own_place(g.at(s.node).kind) && !p.groups.taken[s.node])
          store_own(s.node);
        add_temporaries(s);
      }
      for (int id = freed[i]; id >= 0; id = next[id])
        if (!kept[slot[id]]) free[slot[id]] = true;
    }
    for (int id = 0; id < g.node_count(); ++id) p.places[id] = place_of(id);
  }
  constexpr core::place place_of(int id) const {
    const node& n = g.at(id);
    if (p.groups.taken[id]) return {lies::inside};
    if (n.kind == op::state || n.kind == op::cache || n.kind == op::keep) return {lies::kept, kept_index(n)};
    if (n.kind == op::parameter) return {lies::parameter, n.settings.entry.index};
    if (slot[id] < 0) return {};
    return {collected[id] ? lies::each_pass : lies::slot, slot[id]};
  }

  constexpr void add_temporaries(step& s) {
    const auto scratch = scratch_of(g, p, s);
    for (int i = 0; i < 2; ++i)
      if (scratch[static_cast<std::size_t>(i)].factor > 0)
        s.temporary[i] = take(scratch[static_cast<std::size_t>(i)]);
    for (const std::int32_t t : s.temporary)
      if (t >= 0) free[t] = true;
  }
};

} // namespace detail

/// The plan of a graph in stages, each a constant of its own: a compiler's limit on the work of one constant
/// then bounds each stage, not their sum. `graph_of::view` is the graph.
template <class graph_of>
struct planned {
  static constexpr const graph_view& view = graph_of::view;
  static constexpr std::size_t nodes = view.nodes.empty() ? 1 : view.nodes.size(),
                               regions = view.regions.size();
  using stage = detail::planner<nodes, regions>;

  static constexpr fusion<nodes> live = live_nodes<nodes>(view);
  static constexpr fusion<nodes> products = fuse_epilogues(view, live);
  static constexpr fusion<nodes> chains = fuse_chains(view, products);
  static constexpr fusion<nodes> groups = view_turned(view, take_parts(view, chains));
  static constexpr stage ordered = [] {
    stage s{view};
    s.p.groups = groups;
    s.order();
    s.find_chains();
    return s;
  }();
  static constexpr stage timed = [] {
    stage s = ordered;
    s.find_last_uses();
    return s;
  }();
  static constexpr plan<nodes, regions> result = [] {
    stage s = timed;
    s.place();
    return s.p;
  }();
};

} // namespace fovea::core
