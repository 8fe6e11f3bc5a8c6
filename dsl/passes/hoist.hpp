#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core {

/// Takes out of scans what does not depend on their state: a node of the inputs alone is computed once for
/// all steps (one matrix product instead of one a step), a node of neither inputs nor state once before them.
/// What stays in a body reads the result of its step.

namespace detail {

/// A graph's nodes while they are being rewritten; the other tables stay as they are.
template <std::size_t nodes, std::size_t operands, std::size_t parameters, std::size_t inputs,
          std::size_t outputs, std::size_t regions>
struct rewritten {
  node node_table[nodes] = {};
  std::int32_t operand_table[operands > 0 ? operands : 1] = {};
  parameter_entry parameter_table[parameters > 0 ? parameters : 1] = {};
  named_value input_table[inputs > 0 ? inputs : 1] = {};
  named_value output_table[outputs > 0 ? outputs : 1] = {};
  region_entry region_table[regions] = {};
  int node_count = 0, operand_count = 0;
};

/// What becomes of a node in the body of a scan.
enum class hoisting : std::uint8_t {
  stays,
  every_step, // computed once for all steps, with the axis of time
  once,       // the same at every step
};

template <std::size_t nodes>
struct hoister {
  graph_view g;
  hoisting kinds[nodes] = {};
  std::int32_t in_body[nodes] = {},
               outside[nodes] = {}; // what stands for a node inside its body, and before it
  bool read_in_body[nodes] = {};

  constexpr const region_entry& scan_of(int id) const { return g.region(g.at(id).region); }
  constexpr bool in_scan(int id) const { return scan_of(id).is_scan(); }
  /// The axis that time has in the sequences of a scan.
  constexpr int time_axis(int region) const {
    const region_entry& r = g.region(region);
    return g.at(r.first + r.carried).kind == op::time_step ? g.at(r.first + r.carried).settings.time.axis : 1;
  }
  /// Whether operand `id` is the same at every step of the scan `region`.
  constexpr bool is_outside(int id, int region) const {
    return g.at(id).region != region || kinds[id] == hoisting::once;
  }

  constexpr bool for_every_step(int id) const {
    const node& n = g.at(id);
    const int axis = time_axis(n.region);
    if (n.shape.rank < axis || n.shape.rank == shape::max_rank) return false;
    const auto is_wide = [&](int k) {
      const int from = g.operand(id, k);
      return g.at(from).region == n.region && kinds[from] == hoisting::every_step;
    };
    if (n.kind == op::time_step) return n.settings.time.axis == axis;
    if (n.kind == op::linear || (n.kind == op::matmul && g.at(g.operand(id, 1)).shape.rank == 2)) {
      if (!is_wide(0) || g.at(id).shape.rank == axis) return false;
      for (int k = 1; k < n.operand_count; ++k)
        if (!is_outside(g.operand(id, k), n.region)) return false;
      return true;
    }
    if (n.kind == op::gather)
      return is_outside(g.operand(id, 0), n.region) && is_wide(1) &&
             g.at(g.operand(id, 1)).shape.rank >= axis;
    if (!is_elementwise(n.kind)) return false;
    bool any = false;
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k), rank = g.at(from).shape.rank;
      // An operand without the axes before time's broadcasts to every step as it did to one.
      const bool fits =
          is_wide(k) ? rank == n.shape.rank : is_outside(from, n.region) && rank <= n.shape.rank - axis;
      if (!fits) return false;
      any |= is_wide(k);
    }
    return any;
  }
  constexpr bool is_once(int id) const {
    const node& n = g.at(id);
    if (n.kind == op::carry || n.kind == op::time_step || n.kind == op::time_index || n.kind == op::stack ||
        n.kind == op::repeat_output || n.kind == op::scan_output) // what loops inside the body give
      return false;
    for (int k = 0; k < n.operand_count; ++k)
      if (!is_outside(g.operand(id, k), n.region)) return false;
    return true;
  }

  constexpr void classify() {
    for (int id = 0; id < g.node_count(); ++id)
      if (in_scan(id))
        kinds[id] = is_once(id)          ? hoisting::once
                    : for_every_step(id) ? hoisting::every_step
                                         : hoisting::stays;
    for (int id = 0; id < g.node_count(); ++id)
      for (int k = 0; k < g.at(id).operand_count; ++k) {
        const int from = g.operand(id, k);
        read_in_body[from] |= kinds[id] != hoisting::every_step || g.at(from).region != g.at(id).region;
      }
    for (const region_entry& r : g.regions) // what is carried on, though nothing takes it at the end
      for (int k = 0; k < r.carried; ++k) read_in_body[r.results[k]] = true;
  }

  /// What stands for operand `from` of node `id`, where `id` goes.
  constexpr std::int32_t seen(int from, int id) const {
    return kinds[id] != hoisting::stays && g.at(from).region == g.at(id).region ? outside[from]
                                                                                : in_body[from];
  }

  template <class result>
  constexpr int copy(result& to, int id, int region) {
    node made = g.at(id);
    made.region = static_cast<std::uint8_t>(region);
    made.first_operand = to.operand_count;
    for (int k = 0; k < made.operand_count; ++k)
      to.operand_table[to.operand_count++] = seen(g.operand(id, k), id);
    to.node_table[to.node_count] = made;
    return to.node_count++;
  }
  /// Node `id` with the axis of time, before the scan.
  template <class result>
  constexpr int widen(result& to, int id) {
    const node& n = g.at(id);
    if (n.kind == op::time_step) return seen(g.operand(id, 0), id);
    const int axis = time_axis(n.region), made = copy(to, id, scan_of(id).parent);
    shape s;
    for (int i = 0; i <= n.shape.rank; ++i)
      s.push(i == axis ? scan_of(id).time : n.shape[i < axis ? i : i - 1]);
    to.node_table[made].shape = s;
    return made;
  }
  /// The current step of what was widened, inside the body.
  template <class result>
  constexpr int narrow(result& to, int id) {
    const node& n = g.at(id);
    node made{.kind = op::time_step,
              .type = n.type,
              .operand_count = 1,
              .region = n.region,
              .first_operand = to.operand_count,
              .shape = n.shape,
              .scope = n.scope,
              .settings = {.time = {time_axis(n.region), n.region}},
              .at = n.at};
    to.operand_table[to.operand_count++] = outside[id];
    to.node_table[to.node_count] = made;
    return to.node_count++;
  }

  template <class result>
  constexpr void run(result& to) {
    classify();
    for (std::size_t r = 0; r < g.regions.size(); ++r) to.region_table[r] = g.regions[r];
    for (int id = 0; id < g.node_count(); ++id) {
      const int region = g.at(id).region;
      if (id == g.region(region).first && region != 0) {
        // A scan begins: first what it need not do itself.
        if (g.region(region).is_scan())
          for (int k = id; k < g.region(region).last; ++k)
            if (g.at(k).region == region && kinds[k] != hoisting::stays)
              outside[k] = kinds[k] == hoisting::once ? copy(to, k, g.region(region).parent) : widen(to, k);
        to.region_table[region].first = to.node_count;
      }
      if (kinds[id] == hoisting::stays) {
        in_body[id] = outside[id] = copy(to, id, region);
      } else if (kinds[id] == hoisting::once) {
        in_body[id] = outside[id];
      } else if (read_in_body[id]) {
        in_body[id] = narrow(to, id);
      }
      for (int r = region; r != 0 && id == g.region(r).last - 1; r = g.region(r).parent)
        to.region_table[r].last = to.node_count;
    }
    for (std::size_t r = 0; r < g.regions.size(); ++r)
      for (int k = 0; k < g.regions[r].carried; ++k)
        to.region_table[r].results[k] = in_body[g.regions[r].results[k]];
    for (std::size_t i = 0; i < g.parameters.size(); ++i) {
      to.parameter_table[i] = g.parameters[i];
      to.parameter_table[i].node = outside[g.parameters[i].node];
    }
    for (std::size_t i = 0; i < g.inputs.size(); ++i)
      to.input_table[i] = {g.inputs[i].name, outside[g.inputs[i].node]};
    for (std::size_t i = 0; i < g.outputs.size(); ++i)
      to.output_table[i] = {g.outputs[i].name, outside[g.outputs[i].node]};
  }
};

} // namespace detail

/// The graph of `graph_of` after the pass, as its `view`.
template <class graph_of>
struct hoisted {
  static constexpr const graph_view& from = graph_of::view;
  static constexpr std::size_t in_scans = [] {
    std::size_t n = 0;
    for (const node& one : from.nodes) n += from.region(one.region).is_scan();
    return n;
  }();
  static constexpr std::size_t nodes = from.nodes.size();
  static constexpr auto result = [] {
    // A node of a body becomes at most itself and a reading of its step.
    detail::rewritten<nodes + in_scans, from.operands.size() + in_scans, from.parameters.size(),
                      from.inputs.size(), from.outputs.size(), from.regions.size()>
        to;
    detail::hoister<nodes> pass{from};
    pass.run(to);
    return to;
  }();
  static constexpr graph_view view{{result.node_table, static_cast<std::size_t>(result.node_count)},
                                   {result.operand_table, static_cast<std::size_t>(result.operand_count)},
                                   from.dim_numbers,
                                   from.forms,
                                   from.scopes,
                                   {result.parameter_table, from.parameters.size()},
                                   {result.input_table, from.inputs.size()},
                                   {result.output_table, from.outputs.size()},
                                   {result.region_table, from.regions.size()},
                                   from.functions,
                                   from.windows};
};

} // namespace fovea::core
