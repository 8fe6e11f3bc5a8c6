#pragma once

// What holds of every graph that a pass leaves: checked between passes of all models that tests run.

#include <fovea/dsl/graph_view.hpp>

#include <string>

namespace fovea::core::test {

/// The first thing that does not hold of a graph, "" where all does.
std::string graph_fault(const graph_view& g);

/// Checks that a graph has none.
void check_valid(const graph_view& g, const char* after = "declare");

/// Reads what each operation is told, as that operation. No constant where a node was given the settings of
/// another kind or none: what such a union holds when the program runs is the compiler's to choose.
constexpr bool settings_are_told(const graph_view& g) {
  for (const node& n : g.nodes)
    if (!with_settings(n.kind, n.settings, n.settings, [](const auto& x, const auto& y) { return x == y; }))
      return false; // NaN
  return true;
}

/// Checks what each pass of a pipeline leaves.
template <class pipeline>
void check_passes() {
  pipeline::each_stage([]<class stage>(const char* name) {
    static_assert(settings_are_told(core::detail::kept_graph<stage>::view));
    check_valid(core::detail::kept_graph<stage>::view, name);
  });
}

} // namespace fovea::core::test
