#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <fovea/dsl/gradients/rules.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/gradient_name.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/passes.hpp>

namespace fovea::core {

namespace detail {

/// The output that training makes small.
inline constexpr const char* loss_name = "loss";

constexpr int find_loss(const graph_view& g) {
  for (const named_value& out : g.outputs)
    if (same_text(out.name, loss_name)) return out.node;
  return -1;
}

/// Reverse-mode differentiation (Linnainmaa 1970) from graph to graph: the nodes as they were, then, from the
/// last to the first, what each adds to the gradients of its operands.
///
/// A repeat or scan becomes a loop that runs the other way. The values of its body that rules read are kept,
/// one for each pass, by `stack` along a new first axis, and read back by `time_step`; numbers, parameters
/// and what is only a shape of these are made again instead. The loop carries the gradients of what the body
/// carries, and a sum for each value of outside that the body uses. Products with weights of outside are not
/// summed pass by pass: their two sides are kept, and multiplied once after the loop. Of a repeat that
/// recomputes only what it carries is kept.
template <std::size_t most>
struct differentiator {
  const graph_view& g;
  graph& to;
  std::int32_t mapped[most] = {};   // the node that was copied
  std::int32_t value[most] = {};    // what stands for it where gradients are being made, or -1
  std::int32_t gradient[most] = {}; // of the loss, or -1
  bool active[most] = {};           // the loss may depend on it, and a gradient is wanted through it
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

  constexpr expr at(std::int32_t id) { return {&to, id}; }

  // Which gradients are wanted
  // ---------------------------------------------------------------------------------------------------------

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
        return false;
    }
  }

  // The nodes as they were
  // ---------------------------------------------------------------------------------------------------------

  constexpr std::int32_t emit(const node& made, std::int32_t operand) { return to.add(made, at(operand)).id; }
  constexpr std::int32_t copy(int id, const std::int32_t (&of)[most]) {
    // The length of a range is in its shape.
    return g.at(id).kind == op::range ? add_node(to, g.at(id), {}) : copy_node(to, g, id, of);
  }

  constexpr void run_forward(bool of_inputs) {
    for (std::size_t i = 0; i < most; ++i) gradient[i] = value[i] = -1;
    for (auto& region : of_carried)
      for (std::int32_t& of : region) of = -1;
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

  // The way back
  // ---------------------------------------------------------------------------------------------------------

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
    if (value[id] < 0) refuse_rank(g.at(id));
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

  /// What the loop back carries, beside the gradients of what the loop carried.
  struct summed {
    std::int32_t target = 0, outer = -1; // its gradient outside so far
  };

  constexpr void walk_loop(int r) {
    const region_entry& body = g.region(r);
    bool reached = false;
    for (int k = 0; k < body.carried; ++k) reached |= of_carried[r][k] >= 0;
    for (int id = body.first; id < body.last; ++id)
      reached |= g.at(id).kind == op::stack && g.at(id).region == r && gradient[id] >= 0;
    if (!reached) return;

    // What it carries.
    summed sums[region_entry::max_carried] = {};
    int sum_count = 0;
    const auto add_sum = [&](int target) {
      for (int i = 0; i < sum_count && i < region_entry::max_carried; ++i)
        if (sums[i].target == target) return;
      if (sum_count < region_entry::max_carried) sums[sum_count] = {target, gradient[target]};
      ++sum_count;
    };
    for (int id = body.first; id < body.last; ++id) {
      const node& n = g.at(id);
      for (int k = 0; k < n.operand_count; ++k) {
        const int from = g.operand(id, k);
        if (!active[from] || !active[id] || is_within(g.at(from).region, r)) continue;
        const bool own = n.region == r;
        if (own && (n.kind == op::carry || n.kind == op::time_step)) continue;
        if (own && body.is_scan() && sums_later(n.kind, k, from)) continue;
        add_sum(from);
      }
    }
    for (int k = 0; k < body.carried; ++k)
      if (active[body.results[k]] && !is_within(g.at(body.results[k]).region, r)) add_sum(body.results[k]);

    expr initial[region_entry::max_carried] = {};
    int carried = 0;
    std::int32_t place_of[region_entry::max_carried] = {};
    for (int k = 0; k < body.carried; ++k) {
      place_of[k] = -1;
      const node& n = g.at(body.first + k);
      if (!active[body.first + k]) continue;
      place_of[k] = carried;
      initial[carried++] = of_carried[r][k] >= 0 ? at(of_carried[r][k]) : filled(to, 0, n.shape, n.at);
    }
    const int first_sum = carried;
    if (carried + sum_count > region_entry::max_carried) {
      to.fail(268, g.at(body.first).at, word_of(g.at(body.first)), ": its gradient carries ",
              carried + sum_count, " values, at most ", region_entry::max_carried,
              "; it uses too many values of outside");
      return;
    }
    for (int i = 0; i < sum_count; ++i)
      initial[carried++] = filled(to, 0, g.at(sums[i].target).shape, g.at(sums[i].target).at);
    if (to.region_count == graph::max_regions || !to.error.empty()) {
      to.fail(269, g.at(body.first).at, "the gradients need more than ", graph::max_regions - 1,
              " repeats and scans");
      return;
    }

    // The loop begins.
    const int outer = to.current_region, back = to.region_count++;
    std::int32_t before[most] = {}; // values as they were outside
    for (int id = body.first; id < body.last; ++id) before[id] = value[id];
    to.regions[back] = body;
    to.regions[back].parent = static_cast<std::uint8_t>(outer);
    to.regions[back].reversed = !body.reversed;
    to.regions[back].first = to.node_count;
    to.regions[back].carried = carried;
    to.current_region = back;
    std::int32_t inside[region_entry::max_carried] = {};
    for (int i = 0; i < carried; ++i)
      inside[i] = emit({.kind = op::carry,
                        .shape = to.shape_of(initial[i]),
                        .settings = {.carried = {i, back}},
                        .at = g.at(body.first).at},
                       initial[i].id);
    for (int i = 0; i < sum_count; ++i) gradient[sums[i].target] = -1;
    for (int id = body.first; id < body.last; ++id) {
      if (g.at(id).region == r && made_again(id) && g.at(id).kind != op::stack) {
        value[id] = copy(id, value);
        node& n = to.nodes[value[id]];
        if (n.kind == op::time_step || n.kind == op::time_index) n.settings.time.region = back;
      } else if (value[id] >= 0) {
        value[id] = taken(value[id], 0, back);
      }
    }
    for (int id = body.first; id < body.last; ++id)
      if (g.at(id).kind == op::stack && g.at(id).region == r && gradient[id] >= 0)
        add(g.operand(id, 0), at(taken(gradient[id], g.at(id).settings.time.axis, back)));
    for (int k = 0; k < body.carried; ++k)
      if (place_of[k] >= 0) add(body.results[k], at(inside[place_of[k]]));

    const int waiting_before = waiting_count;
    walk_back(body.first, body.last, r);
    if (!to.error.empty()) return;

    // Its end: what goes on to the next pass, and what leaves.
    for (int k = 0; k < body.carried; ++k)
      if (place_of[k] >= 0) {
        const int id = body.first + k;
        to.regions[back].results[place_of[k]] =
            gradient[id] >= 0 ? gradient[id] : filled(to, 0, g.at(id).shape, g.at(id).at).id;
      }
    for (int i = 0; i < sum_count; ++i) {
      const int target = sums[i].target;
      add(target, at(inside[first_sum + i]));
      to.regions[back].results[first_sum + i] = gradient[target];
    }
    for (int id = body.first; id < body.last; ++id) {
      if (g.at(id).region != r || gradient[id] < 0) continue;
      if (g.at(id).kind == op::parameter)
        wait({leaving::parameter, id, gradient[id], -1});
      else if (g.at(id).kind == op::time_step && active[id])
        wait({leaving::sequence, id, gradient[id], -1});
    }
    for (int i = waiting_before; i < waiting_count; ++i) leave(waiting[i], back);
    to.regions[back].last = to.node_count;
    to.current_region = outer;

    // After it.
    for (int id = body.first; id < body.last; ++id) value[id] = before[id];
    for (int i = 0; i < carried; ++i) {
      const std::int32_t result = to.regions[back].results[i];
      inside[i] = emit({.kind = op::repeat_output,
                        .shape = to.nodes[result].shape,
                        .settings = {.carried = {i, back}},
                        .at = g.at(body.first).at},
                       result);
    }
    for (int i = 0; i < sum_count; ++i) {
      gradient[sums[i].target] = sums[i].outer;
      add(sums[i].target, at(inside[first_sum + i]));
    }
    for (int k = 0; k < body.carried; ++k)
      if (const int from = g.operand(body.first + k, 0); place_of[k] >= 0 && active[from])
        add(from, at(inside[place_of[k]]));
    const int left = waiting_count;
    waiting_count = waiting_before;
    for (int i = waiting_before; i < left; ++i) arrive(waiting[i], back);
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

template <class before, bool of_inputs>
struct differentiated {
  static constexpr const graph& source = before::built;
  static constexpr graph_view from = view_of_tables(source);

  static constexpr auto seed_names = [] {
    std::array<gradient_name, from.outputs.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = {"d_", from.outputs[i].name};
    return names;
  }();
  /// An input for the gradient that arrives at an output.
  static constexpr expr arriving(graph& to, const node& out, const char* name) {
    if (to.input_count == graph::max_inputs) return to.fail(270, out.at, "the model has too many outputs");
    const expr made = to.add(
        {.kind = op::input, .shape = out.shape, .settings = {.entry = {to.input_count}}, .at = out.at});
    to.inputs[to.input_count++] = {name, made.id};
    return made;
  }

  /// A loss that no parameter moves is an error, which says what stands in the way.
  static constexpr void check_moved(graph& to, const differentiator<from.nodes.size()>& pass, int loss) {
    if (pass.active[loss]) return;
    for (int id = from.node_count() - 1; id >= 0; --id) {
      const node& n = from.at(id);
      bool reached = false;
      for (int k = 0; k < n.operand_count; ++k) reached |= pass.active[from.operand(id, k)];
      if (!reached || pass.active[id]) continue;
      to.fail(271, n.at, word_of(n), ": passes no gradient, and the output \"", loss_name,
              "\" depends on no parameter in another way");
      return;
    }
    to.fail(272, from.at(loss).at, "output \"", loss_name, "\": depends on no parameter");
  }

  static constexpr graph build() {
    graph made;
    copy_tables(made, source);
    const int loss = find_loss(from);
    if (loss >= 0 && (from.at(loss).shape.rank != 0 || from.at(loss).type != element::f32)) {
      made.fail(273, from.at(loss).at, "output \"", loss_name, "\": expected one float32 number, found ",
                name_of(from.at(loss).type), " ", from.at(loss).shape);
      return made;
    }
    differentiator<from.nodes.size()> pass{from, made};
    pass.run_forward(of_inputs);
    if (loss >= 0) check_moved(made, pass, loss);
    if (!made.error.empty()) return made;
    if (loss >= 0)
      pass.add(loss, made.add({.kind = op::constant, .settings = {.number = 1}, .at = from.at(loss).at}));
    else
      for (std::size_t i = 0; i < from.outputs.size(); ++i)
        if (const node& out = from.at(from.outputs[i].node); out.type == element::f32)
          pass.add(from.outputs[i].node, arriving(made, out, seed_names[i].text));
    pass.run_back();
    if (!made.error.empty()) return made;
    for (std::size_t i = 0; i < from.parameters.size(); ++i)
      made.parameters[i].gradient = pass.gradient[from.parameters[i].node];
    for (std::size_t i = 0; of_inputs && i < from.inputs.size(); ++i)
      if (pass.active[from.inputs[i].node]) made.inputs[i].gradient = pass.gradient[from.inputs[i].node];
    return made;
  }
  static constexpr graph built = build();
  static constexpr sentence error = built.error;
};

} // namespace detail

/// Adds the gradients of the loss, the output "loss", to a graph: each parameter's `gradient`, with the
/// layers of the repeats around it as leading axes, and each input's. A graph without a loss gets an input
/// "d_NAME" for each output, the gradient that arrives there.
template <bool of_inputs>
struct passes::differentiate {
  static constexpr const char* name = "differentiate";
  template <class before>
  using made = detail::differentiated<before, of_inputs>;
};

} // namespace fovea::core
