#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::detail {

/// Makes the steps of a plan whose groups are known, in an order in which they can run, and the chains.
template <std::size_t nodes, std::size_t regions>
struct orderer {
  const graph_view& g;
  plan<nodes, regions> p{};

  constexpr void add(step s) { p.steps[p.step_count++] = s; }

  constexpr bool is_dense(int root) const {
    const int id = p.groups.product[root];
    return id >= 0 && (!is_convolution(g.at(id).kind) || is_pointwise(g, id));
  }

  // Products of one left side in one shape, without a joined value, become one step where the first of them
  // stands, and so do convolutions.
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
    const auto left = [&](int root) { return g.operand(p.groups.product[root], 0); };
    constexpr int most_parts = 4, horizon = 12;
    if (p.groups.join[id] == op::none)
      for (int k = id + 1; k < g.node_count() && k < id + horizon && s.count < most_parts; ++k)
        if (p.groups.is_root(k) && !done[k] && p.groups.product[k] >= 0 && is_dense(k) == is_dense(id) &&
            p.groups.join[k] == op::none && g.at(k).region == g.at(id).region &&
            p.base(left(k)) == p.base(left(id)) && g.at(left(k)).shape == g.at(left(id)).shape)
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
        if (n.kind != op::sum || n.settings.along.axis != 0 || n.region != g.at(id).region ||
            !p.groups.is_root(k) || done[k])
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
    std::int32_t loop_begin[regions] = {};
    // Chains write numbers into their code; other users, and outputs, need them in memory.
    for (const named_value& out : g.outputs) stored[p.base(out.node)] = true;
    for (int id = 0; id < g.node_count(); ++id)
      if (p.groups.live[id] && (!is_elementwise(g.at(id).kind) || renames(g.at(id).kind)))
        for (int k = 0; k < g.at(id).operand_count; ++k) stored[p.base(g.operand(id, k))] = true;
    for (const region_entry& r : g.regions)
      for (int k = 0; k < r.carried; ++k) stored[p.base(r.results[k])] = true;
    int region = 0;
    for (int id = 0; id <= g.node_count(); ++id) {
      const int inside = id < g.node_count() ? g.at(id).region : 0;
      while (region != inside && !within(inside, region)) {
        if (live_region(region)) {
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
      if (!p.groups.is_root(id) || done[id]) continue;
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

private:
  constexpr bool live_region(int r) const {
    for (int id = g.region(r).first; id < g.region(r).last; ++id)
      if (p.groups.live[id]) return true;
    return false;
  }
  constexpr bool within(int r, int outer) const {
    while (r != outer && r != 0) r = g.region(r).parent;
    return r == outer;
  }
};

} // namespace fovea::core::detail
