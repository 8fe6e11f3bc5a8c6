#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::detail {

/// Adds a node without operands to the region that `to` is in, in the node's own scope.
constexpr expr add_bare(graph& to, const node& n) {
  const int scope_before = to.current_scope;
  to.current_scope = n.scope;
  const expr made = to.add(n);
  to.current_scope = scope_before;
  return made;
}
/// The same with these operands. Gives its id; 0 after an error.
constexpr std::int32_t add_node(graph& to, const node& n, std::initializer_list<std::int32_t> operands) {
  const expr made = add_bare(to, n);
  for (const std::int32_t from : operands)
    if (made.valid()) to.add_operand({&to, from});
  return made.valid() ? made.id : 0;
}
/// Adds `n` in the place of node `id` of `from`, whose operands become those that `of(operand)` gives.
template <class F>
constexpr std::int32_t add_in_place(graph& to, const node& n, const graph_view& from, int id, const F& of) {
  const expr made = add_bare(to, n);
  for (int k = 0; k < from.at(id).operand_count && made.valid(); ++k)
    to.add_operand({&to, of(from.operand(id, k))});
  return made.valid() ? made.id : 0;
}
/// Adds node `id` of `from` with what stands for its operands.
constexpr std::int32_t copy_node(graph& to, const graph_view& from, int id, const std::int32_t* mapped) {
  return add_in_place(to, from.at(id), from, id, [mapped](int k) { return mapped[k]; });
}

/// The outermost region inside `outer` that begins with node `id`; 0: none does.
constexpr int begun_with(const graph_view& g, int id, int outer) {
  int outermost = 0;
  for (int r = g.at(id).region; r != outer; r = g.region(r).parent)
    if (g.region(r).first == id) outermost = r;
  return outermost;
}

/// Writes a graph anew into one that has its tables (copy_tables) and none of its nodes. Nodes come in their
/// order, in the regions that they are in; what becomes of each is the pass's to say:
///   pass.write(id)       adds what is to stand for node `id` of `from`, and gives its id; -1: nothing stands for it
///   pass.before(region)  adds what a repeat or scan needs before it, to the region around it
///   pass.last(region)    ends its body: adds to it, or changes what it leaves
///   pass.after(region)   adds what follows the loop
///   pass.mapped          an id for each node of `from`, which is kept here
/// A pass may leave out the middle three. Outputs are write_outputs' to give.
/// Stops at the first error.
template <class pass_type>
constexpr void write_graph(graph& to, const graph_view& from, pass_type& pass) {
  const auto stand_in = [&](std::int32_t id) { return id < 0 ? id : pass.mapped[id]; };
  for (int id = 0; id < from.node_count() && to.error.empty(); ++id) {
    for (int outer = 0, r; (r = begun_with(from, id, outer)) != 0; outer = r) {
      to.current_region = from.region(r).parent;
      if constexpr (requires { pass.before(r); }) pass.before(r);
      to.regions[r].first = to.node_count;
    }
    int region = from.at(id).region;
    to.current_region = region;
    to.current_scope = from.at(id).scope;
    pass.mapped[id] = pass.write(id);
    to.current_scope = 0;
    for (; region != 0 && id == from.region(region).last - 1; region = from.region(region).parent) {
      const region_entry& body = from.region(region);
      region_entry& made = to.regions[region];
      to.current_region = region;
      for (int k = 0; k < body.carried; ++k) made.results[k] = stand_in(body.results[k]);
      if (body.carried == 0 || made.results[0] < 0) made.carried = 0; // nothing is left of it
      if constexpr (requires { pass.last(region); }) pass.last(region);
      made.last = to.node_count;
      to.current_region = body.parent;
      if constexpr (requires { pass.after(region); }) pass.after(region);
    }
  }
  to.current_region = to.current_scope = 0;
  if (!to.error.empty()) return;
  for (std::size_t i = 0; i < from.parameters.size(); ++i) {
    const parameter_entry& p = from.parameters[i];
    to.parameters[i].node = stand_in(p.node);
    to.parameters[i].gathered = stand_in(p.gathered);
    to.parameters[i].gradient = stand_in(p.gradient);
  }
  for (const named_value& in : from.inputs) // one that another graph of the model reads is none of this
    if (const std::int32_t id = stand_in(in.node); id >= 0 && to.nodes[id].kind == op::input) {
      to.nodes[id].settings.entry.index = to.input_count;
      to.inputs[to.input_count++] = {in.name, id, stand_in(in.gradient)};
    }
}

/// The graph that a writer makes of that of `before`.
template <class writer, class before>
struct written_by {
  static constexpr graph build() {
    graph made;
    writer pass{before::built, made};
    pass.run();
    return made;
  }
  static constexpr graph built = build();
  static constexpr sentence error = built.error;
};

/// Names the outputs of `from` in `to`: `of(id)` is what stands for the value of node `id`.
template <class F>
constexpr void write_outputs(graph& to, const graph_view& from, const F& of) {
  for (std::size_t i = 0; i < from.outputs.size() && to.error.empty(); ++i)
    to.outputs[to.output_count++] = {from.outputs[i].name, of(from.outputs[i].node)};
}

} // namespace fovea::core::detail
