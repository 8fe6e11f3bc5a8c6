#include "../../valid_graph.hpp"

#include <catch2/catch.hpp>
#include <fovea/dsl.hpp>

#include <memory>

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr dim B{"B"}, T{"T"};

/// A graph with a scan, a parameter and a product, which `spoil` changes.
template <class F>
std::string fault_of(F spoil) {
  const auto made = std::make_unique<graph>();
  graph& g = *made;
  const expr x = g.input<f32>("x", {B, T, 4});
  const expr y = scan(x, zeros(x, {B, 4}), [](expr now, expr before) {
    const expr after = tanh(linear(now, "map", 4) + before);
    return scan_step{after, after};
  });
  g.output("y", y);
  REQUIRE(test::graph_fault(view_of_tables(g)) == "");
  spoil(g);
  return test::graph_fault(view_of_tables(g));
}
int first_of(const graph& g, op kind) {
  for (int id = 0; id < g.node_count; ++id)
    if (g.nodes[id].kind == kind) return id;
  return -1;
}
node& first_node(graph& g, op kind) { return g.nodes[first_of(g, kind)]; }
std::int32_t& operand_of(graph& g, op kind, int k) {
  return g.operands[first_node(g, kind).first_operand + k];
}

} // namespace

TEST_CASE("a graph that a pass leaves broken is told") {
  CHECK(fault_of([](graph& g) { operand_of(g, op::add, 0) = first_of(g, op::tanh); }) ==
        "node 8, +: an operand is made after it");
  CHECK(fault_of([](graph& g) { first_node(g, op::add).operand_count = 1; }) == "node 8, +: has 1 operands");
  CHECK(fault_of([](graph& g) { first_node(g, op::tanh).kind = op::query_position; }) ==
        "node 9, query position: is no operation of a graph");
  CHECK(fault_of([](graph& g) { first_node(g, op::add).shape[1] = 200; }) ==
        "node 8, +: its dims are none of the graph");
  CHECK(fault_of([](graph& g) { operand_of(g, op::linear, 1) = first_of(g, op::carry); }) ==
        "node 7, linear: its weights do not fit");
  CHECK(fault_of([](graph& g) { operand_of(g, op::add, 0) = 0; }) ==
        "node 8, +: an operand has more axes than it");
  CHECK(fault_of([](graph& g) { first_node(g, op::add).type = element::i32; }) ==
        "node 8, +: is of another type than its operands say");
  CHECK(fault_of([](graph& g) { first_node(g, op::time_step).settings.time.region = 0; }) ==
        "node 4, scan: is of no loop around it");
  CHECK(fault_of([](graph& g) { first_node(g, op::time_step).shape = g.nodes[0].shape; }) ==
        "node 4, scan: does not take one axis away");
}

TEST_CASE("a loop that a pass leaves broken is told") {
  CHECK(fault_of([](graph& g) { g.regions[1].last -= 1; }) ==
        "node 10, scan: is inside and outside of region 1");
  CHECK(fault_of([](graph& g) { g.regions[1].results[0] = first_of(g, op::scan_output); }) ==
        "region 1: leaves what it does not know");
  CHECK(fault_of([](graph& g) { g.regions[1].results[0] = 0; }) ==
        "region 1: leaves another shape or type than it carries");
  CHECK(fault_of([](graph& g) { first_node(g, op::carry).settings.carried.index = 1; }) ==
        "region 1: does not begin with what it carries");
  CHECK(fault_of([](graph& g) { g.regions[1].parent = 1; }) == "region 1: lies in itself");
  CHECK(fault_of([](graph& g) { operand_of(g, op::scan_output, 0) = 0; }) ==
        "node 12, scan: gives what is not of its loop");
  CHECK(fault_of([](graph& g) { g.outputs[0].node = first_of(g, op::tanh); }) ==
        "output y: is inside a loop");
}

TEST_CASE("a table that a pass leaves broken is told") {
  CHECK(fault_of([](graph& g) { g.parameters[0].node = 0; }) == "parameter 0: its node is another");
  CHECK(fault_of([](graph& g) { g.parameters[0].gradient = first_of(g, op::tanh); }) ==
        "parameter 0: what training makes of it is inside a loop");
  CHECK(fault_of([](graph& g) { g.inputs[0].node = first_of(g, op::tanh); }) ==
        "input x: its node is another");
  CHECK(fault_of([](graph& g) { g.inputs[0].gradient = first_of(g, op::constant); }) ==
        "input x: its gradient has another shape");
}
