#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/passes/forward_values.hpp>

namespace fovea::core::detail {

/// Reverse-mode differentiation (Linnainmaa 1970) from graph to graph: the nodes as they were, then, from the
/// last to the first, what each adds to the gradients of its operands.
///
/// A repeat or scan becomes a loop that runs the other way. It carries the gradients of what the body carries,
/// and a sum for each value of outside that the body uses. Products with weights of outside are not summed
/// pass by pass: their two sides are kept, and multiplied once after the loop.
template <std::size_t most>
struct differentiator : forward_values<most> {
  using forward = forward_values<most>;
  using forward::collected, forward::given_out, forward::taken, forward::made_again, forward::is_within;
  using forward::g, forward::to, forward::value, forward::active, forward::at, forward::emit, forward::copy;
  std::int32_t gradient[most] = {}; // of the loss, or -1
  std::int32_t of_carried[graph::max_regions][region_entry::max_carried] =
      {}; // gradients of a loop's results

  // A gradient that leaves loops on its way to the parameter or to the operand it belongs to.
  enum class leaving : std::uint8_t { parameter, sequence, product, column_sum };
  struct pending {
    leaving what = leaving::parameter;
    std::int32_t target = 0;              // the node of g
    std::int32_t first = -1, second = -1; // nodes of `to`; the left and the right side of a product
  };
  static constexpr int most_pending = 256;
  pending waiting[most_pending] = {};
  int waiting_count = 0;

  constexpr differentiator(const graph_view& of, graph& made) : forward{of, made} {
    for (std::int32_t& id : gradient) id = -1;
    for (auto& region : of_carried)
      for (std::int32_t& id : region) id = -1;
  }

  struct site {
    differentiator& pass_;
    int id;
    const node& n;
    expr d;

    constexpr expr x(int k) const { return pass_.value_of(pass_.g.operand(id, k)); }
    constexpr expr y() const { return pass_.value_of(id); }
    constexpr const shape& shape_of(int k) const { return pass_.g.at(pass_.g.operand(id, k)).shape; }
    constexpr bool wants(int k) const { return pass_.active[pass_.g.operand(id, k)]; }
    constexpr void pass(int k, expr of) {
      pass_.add(pass_.g.operand(id, k), reduced_to(of, shape_of(k), n.at));
    }
    constexpr void pass_product(int k, expr a, expr b) {
      pass_.add_product(pass_.g.operand(id, k), id, a, b);
    }
    constexpr void pass_column_sums(int k, expr a) { pass_.add_column_sums(pass_.g.operand(id, k), id, a); }
  };

  constexpr expr value_of(int id) {
    if (value[id] < 0) forward::refuse_rank(g.at(id));
    return at(value[id]);
  }
  constexpr void add(int id, expr of) {
    if (!of.valid()) return;
    const source_place where = g.at(id).at;
    gradient[id] = gradient[id] < 0 ? of.id : (located(at(gradient[id]), where) + located(of, where)).id;
  }
  /// Whether a gradient with respect to node `target` of outside waits until the scan that `id` is in ends.
  constexpr bool waits(int target, int id) const {
    return g.region(g.at(id).region).is_scan() && g.at(target).region != g.at(id).region;
  }
  /// a^T b.
  constexpr expr product(expr a, expr b, source_place where) {
    return matmul(transpose(as_matrix(a, where), where), as_matrix(b, where), where);
  }
  constexpr void add_product(int target, int id, expr a, expr b) {
    if (!a.valid() || !b.valid()) return;
    if (!waits(target, id)) return add(target, product(a, b, g.at(id).at));
    wait({leaving::product, target, a.id, b.id});
  }
  constexpr void add_column_sums(int target, int id, expr a) {
    if (!a.valid()) return;
    if (!waits(target, id)) return add(target, reduced_to(a, g.at(target).shape, g.at(id).at));
    wait({leaving::column_sum, target, a.id, -1});
  }
  constexpr void wait(const pending& p) {
    if (waiting_count == most_pending)
      to.fail(266, g.at(p.target).at, "a loop has more than ", most_pending, " gradients of weights");
    else
      waiting[waiting_count++] = p;
  }

  /// The gradients of nodes first <= i < last, which belong to `region` or to loops inside it.
  constexpr void walk_back(int first, int last, int region) {
    for (int id = last - 1; id >= first && to.error.empty(); --id) {
      const node& n = g.at(id);
      if (n.region != region) {
        int inner = n.region;
        while (g.region(inner).parent != region) inner = g.region(inner).parent;
        walk_loop(inner);
        id = g.region(inner).first;
        continue;
      }
      if (gradient[id] < 0 || !active[id]) continue;
      switch (n.kind) {
        case op::parameter:
        case op::input:
        case op::carry:
        case op::time_step:
        case op::stack:
          break; // who opened the loop sees to them
        case op::repeat_output:
          of_carried[n.settings.carried.region][n.settings.carried.index] = gradient[id];
          break;
        case op::scan_output:
          gradient[g.operand(id, 0)] = gradient[id];
          break;
        default: {
          to.call_site = n.at;
          site here{*this, id, n, at(gradient[id])};
          if (!add_gradients(here)) to.fail(267, n.at, word_of(n), ": has no gradient");
          to.call_site = {};
        }
      }
    }
  }

  /// What the loop back sums for a value of outside.
  struct summed {
    std::int32_t target = 0, outer = -1; // its gradient outside so far
  };
  /// The loop that runs the other way. It carries the gradients of what the body carries, and then the sums:
  /// as they are before it, inside it, and after it.
  struct loop_back {
    int forward;
    const region_entry& body;
    summed sums[region_entry::max_carried] = {};
    int sum_count = 0;
    std::int32_t place_of[region_entry::max_carried] = {}; // of what the body carries, or -1
    std::int32_t carries[region_entry::max_carried] = {};
    int carried = 0, first_sum = 0;
    int region = 0; // its own
  };

  constexpr void walk_loop(int r) {
    if (!is_reached(r)) return;
    loop_back l{r, g.region(r)};
    find_sums(l);
    if (!find_carried(l)) return;

    const int outer = to.current_region, waiting_before = waiting_count;
    std::int32_t before[most] = {}; // values as they were outside
    for (int id = l.body.first; id < l.body.last; ++id) before[id] = value[id];
    open(l);
    walk_back(l.body.first, l.body.last, r);
    if (!to.error.empty()) return;
    close(l);
    for (int i = waiting_before; i < waiting_count; ++i) leave(waiting[i], l.region);
    to.regions[l.region].last = to.node_count;
    to.current_region = outer;

    for (int id = l.body.first; id < l.body.last; ++id) value[id] = before[id];
    give(l);
    const int left = waiting_count;
    waiting_count = waiting_before;
    for (int i = waiting_before; i < left; ++i) arrive(waiting[i], l.region);
  }
  constexpr bool is_reached(int r) const {
    const region_entry& body = g.region(r);
    bool reached = false;
    for (int k = 0; k < body.carried; ++k) reached |= of_carried[r][k] >= 0;
    for (int id = body.first; id < body.last; ++id)
      reached |= g.at(id).kind == op::stack && g.at(id).region == r && gradient[id] >= 0;
    return reached;
  }
  constexpr void find_sums(loop_back& l) const {
    const int r = l.forward;
    const auto add_sum = [&](int target) {
      for (int i = 0; i < l.sum_count && i < region_entry::max_carried; ++i)
        if (l.sums[i].target == target) return;
      if (l.sum_count < region_entry::max_carried) l.sums[l.sum_count] = {target, gradient[target]};
      ++l.sum_count;
    };
    for (int id = l.body.first; id < l.body.last; ++id) {
      const node& n = g.at(id);
      for (int k = 0; k < n.operand_count; ++k) {
        const int from = g.operand(id, k);
        if (!active[from] || !active[id] || is_within(g.at(from).region, r)) continue;
        const bool own = n.region == r;
        if (own && (n.kind == op::carry || n.kind == op::time_step)) continue;
        if (own && l.body.is_scan() && sums_later(n.kind, k, from)) continue;
        add_sum(from);
      }
    }
    for (int k = 0; k < l.body.carried; ++k)
      if (const int left = l.body.results[k]; active[left] && !is_within(g.at(left).region, r)) add_sum(left);
  }
  /// What it begins with; false where that is too much.
  constexpr bool find_carried(loop_back& l) {
    const int first = l.body.first;
    for (int k = 0; k < l.body.carried; ++k) {
      const node& n = g.at(first + k);
      l.place_of[k] = active[first + k] ? l.carried : -1;
      if (!active[first + k]) continue;
      const std::int32_t arrived = of_carried[l.forward][k];
      l.carries[l.carried++] = arrived >= 0 ? arrived : filled(to, 0, n.shape, n.at).id;
    }
    l.first_sum = l.carried;
    if (l.carried + l.sum_count > region_entry::max_carried) {
      to.fail(268, g.at(first).at, word_of(g.at(first)), ": its gradient carries ", l.carried + l.sum_count,
              " values, at most ", region_entry::max_carried, "; it uses too many values of outside");
      return false;
    }
    for (int i = 0; i < l.sum_count; ++i) {
      const node& n = g.at(l.sums[i].target);
      l.carries[l.carried++] = filled(to, 0, n.shape, n.at).id;
    }
    if (to.region_count == graph::max_regions || !to.error.empty()) {
      to.fail(269, g.at(first).at, "the gradients need more than ", graph::max_regions - 1,
              " repeats and scans");
      return false;
    }
    return true;
  }
  /// Whether all that a node is made of was kept: what has no room for one axis more was not.
  constexpr bool has_operands(int id) const {
    for (int k = 0; k < g.at(id).operand_count; ++k)
      if (value[g.operand(id, k)] < 0 && g.at(id).kind != op::range) return false;
    return true;
  }
  /// Begins it: with what it carries, the values of the body in this pass, and the gradients that arrive.
  constexpr void open(loop_back& l) {
    const region_entry& body = l.body;
    l.region = to.region_count++;
    region_entry& made = to.regions[l.region];
    made = body;
    made.parent = static_cast<std::uint8_t>(to.current_region);
    made.reversed = !body.reversed;
    made.first = to.node_count;
    made.carried = l.carried;
    to.current_region = l.region;
    for (int i = 0; i < l.carried; ++i)
      l.carries[i] = emit({.kind = op::carry,
                           .shape = to.nodes[l.carries[i]].shape,
                           .settings = {.carried = {i, l.region}},
                           .at = g.at(body.first).at},
                          l.carries[i]);
    for (int i = 0; i < l.sum_count; ++i) gradient[l.sums[i].target] = -1;
    for (int id = body.first; id < body.last; ++id) {
      if (g.at(id).region == l.forward && made_again(id) && g.at(id).kind != op::stack) {
        value[id] = has_operands(id) ? copy(id, value) : -1;
        if (value[id] < 0) continue;
        node& n = to.nodes[value[id]];
        if (n.kind == op::time_step || n.kind == op::time_index) n.settings.time.region = l.region;
      } else if (value[id] >= 0) {
        value[id] = taken(value[id], 0, l.region);
      }
    }
    for (int id = body.first; id < body.last; ++id)
      if (g.at(id).kind == op::stack && g.at(id).region == l.forward && gradient[id] >= 0)
        add(g.operand(id, 0), at(taken(gradient[id], g.at(id).settings.time.axis, l.region)));
    for (int k = 0; k < body.carried; ++k)
      if (l.place_of[k] >= 0) add(body.results[k], at(l.carries[l.place_of[k]]));
  }
  /// Ends it: what goes on to the next pass, and what leaves.
  constexpr void close(const loop_back& l) {
    region_entry& made = to.regions[l.region];
    for (int k = 0; k < l.body.carried; ++k)
      if (l.place_of[k] >= 0) {
        const int id = l.body.first + k;
        made.results[l.place_of[k]] =
            gradient[id] >= 0 ? gradient[id] : filled(to, 0, g.at(id).shape, g.at(id).at).id;
      }
    for (int i = 0; i < l.sum_count; ++i) {
      const int target = l.sums[i].target;
      add(target, at(l.carries[l.first_sum + i]));
      made.results[l.first_sum + i] = gradient[target];
    }
    for (int id = l.body.first; id < l.body.last; ++id) {
      if (g.at(id).region != l.forward || gradient[id] < 0) continue;
      if (g.at(id).kind == op::parameter)
        wait({leaving::parameter, id, gradient[id], -1});
      else if (g.at(id).kind == op::time_step && active[id])
        wait({leaving::sequence, id, gradient[id], -1});
    }
  }
  /// What it gives, after it.
  constexpr void give(loop_back& l) {
    for (int i = 0; i < l.carried; ++i) {
      const std::int32_t result = to.regions[l.region].results[i];
      l.carries[i] = emit({.kind = op::repeat_output,
                           .shape = to.nodes[result].shape,
                           .settings = {.carried = {i, l.region}},
                           .at = g.at(l.body.first).at},
                          result);
    }
    for (int i = 0; i < l.sum_count; ++i) {
      gradient[l.sums[i].target] = l.sums[i].outer;
      add(l.sums[i].target, at(l.carries[l.first_sum + i]));
    }
    for (int k = 0; k < l.body.carried; ++k)
      if (const int from = g.operand(l.body.first + k, 0); l.place_of[k] >= 0 && active[from])
        add(from, at(l.carries[l.place_of[k]]));
  }

  /// Whether an operation's gradient with respect to an operand of outside waits for the end of a scan.
  constexpr bool sums_later(op kind, int k, int from) const {
    if (!adds_bias(kind)) return kind == op::matmul && k == 1 && g.at(from).shape.rank == 2;
    return k == 2 || (kind == op::linear && k == 1);
  }
  static constexpr bool adds_bias(op kind) {
    return kind == op::linear || kind == op::batch_norm || kind == op::group_norm || is_convolution(kind);
  }

  /// Inside the loop: collects what leaves it, the sides of a product along one axis. What the loop only
  /// takes from a sequence is there already.
  constexpr void leave(pending& p, int back) {
    if (!to.error.empty()) return; // a node may be missing
    int axis = p.what == leaving::sequence ? g.at(p.target).settings.time.axis : 0;
    if (p.what == leaving::product) {
      const node& side = to.nodes[p.second];
      const bool is_taken = side.kind == op::time_step && side.region == back;
      if (is_taken) axis = side.settings.time.axis;
      p.second = is_taken ? to.operand(p.second, 0) : collected(p.second, axis, back);
    }
    p.first = collected(p.first, axis, back);
  }
  /// After it: adds it to the gradient it belongs to.
  constexpr void arrive(const pending& p, int back) {
    if (!to.error.empty()) return; // a node may be missing
    const source_place where = g.at(p.target).at;
    const auto outside = [&](std::int32_t id) {
      return at(to.nodes[id].region == back ? given_out(id, back) : id);
    };
    const expr first = outside(p.first);
    switch (p.what) {
      case leaving::parameter: {
        const expr all = to.regions[back].is_scan() ? sum(first, axis(0), {}, where) : first;
        if (to.current_region == 0)
          gradient[p.target] = all.id;
        else
          wait({leaving::parameter, p.target, all.id, -1});
        break;
      }
      case leaving::sequence:
        add(g.operand(p.target, 0), first);
        break;
      case leaving::column_sum:
        add(p.target, reduced_to(first, g.at(p.target).shape, where));
        break;
      case leaving::product:
        add(p.target, product(first, outside(p.second), where));
        break;
    }
  }

  constexpr void run_back() { walk_back(0, g.node_count(), 0); }
};

} // namespace fovea::core::detail
