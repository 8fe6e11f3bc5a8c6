#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/passes.hpp>

namespace fovea::core {

namespace detail {

/// What becomes of a node in the body of a scan.
enum class hoisting : std::uint8_t {
  stays,
  every_step, // computed once for all steps, with the axis of time
  once,       // the same at every step
};

/// Takes out of scans what does not depend on their state: a node of the inputs alone is computed once for
/// all steps (one matrix product instead of one a step), a node of neither inputs nor state once before them.
/// What stays in a body reads the result of its step.
template <std::size_t nodes>
struct hoister {
  const graph& source;
  graph& to;
  graph_view g = view_of_tables(source);
  hoisting kinds[nodes] = {};
  std::int32_t mapped[nodes] = {},
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
    if (operation_of(n.kind).of == family::loop) return false;
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
    if (!has_room()) // the graph stays as it is
      for (hoisting& kind : kinds) kind = hoisting::stays;
  }

  /// Whether a graph can hold the readings of steps as well.
  constexpr bool has_room() const {
    int readings = 0;
    for (int id = 0; id < g.node_count(); ++id)
      readings += kinds[id] == hoisting::every_step && read_in_body[id];
    return g.node_count() + readings <= graph::max_nodes &&
           source.operand_count + readings <= graph::max_operands;
  }

  /// Node `id` before its scan: with the axis of time, where it is computed for every step.
  constexpr std::int32_t hoist(int id) {
    const node& n = g.at(id);
    const auto seen = [&](int from) { return g.at(from).region == n.region ? outside[from] : mapped[from]; };
    if (kinds[id] == hoisting::once) return add_in_place(to, n, g, id, seen);
    if (n.kind == op::time_step) return seen(g.operand(id, 0));
    const int axis = time_axis(n.region);
    node made = n;
    made.shape = {};
    for (int i = 0; i <= n.shape.rank; ++i)
      made.shape.push(i == axis ? scan_of(id).time : n.shape[i < axis ? i : i - 1]);
    return add_in_place(to, made, g, id, seen);
  }
  constexpr void before(int region) {
    if (!g.region(region).is_scan()) return;
    for (int id = g.region(region).first; id < g.region(region).last; ++id)
      if (g.at(id).region == region && kinds[id] != hoisting::stays) outside[id] = hoist(id);
  }
  constexpr std::int32_t write(int id) {
    const node& n = g.at(id);
    if (kinds[id] == hoisting::stays) return outside[id] = copy_node(to, g, id, mapped);
    if (kinds[id] == hoisting::once) return outside[id];
    if (!read_in_body[id]) return -1;
    return add_node(to,
                    {.kind = op::time_step,
                     .type = n.type,
                     .shape = n.shape,
                     .scope = n.scope,
                     .settings = {.time = {time_axis(n.region), n.region}},
                     .at = n.at},
                    {outside[id]});
  }
  constexpr void run() {
    classify();
    copy_tables(to, source);
    write_graph(to, g, *this);
    write_outputs(to, g, [this](int id) { return outside[id]; });
  }
};

constexpr bool has_scans(const graph& g) {
  for (int r = 0; r < g.region_count; ++r)
    if (g.regions[r].is_scan()) return true;
  return false;
}

template <class before>
using hoisted = written_by<hoister<static_cast<std::size_t>(before::built.node_count)>, before>;

} // namespace detail

struct passes::hoist {
  static constexpr const char* name = "hoist";
  /// A graph without scans is its own.
  template <class before>
  using made = std::conditional_t<detail::has_scans(before::built), detail::hoisted<before>, before>;
};

} // namespace fovea::core
