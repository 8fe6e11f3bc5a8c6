#pragma once

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::detail {

/// Marks the nodes that some output depends on. A value that a loop carries is among them only where an
/// output depends on that value; what a loop has to compute is more (needed.hpp).
constexpr void mark_used(const graph_view& g, bool (&used)[graph::max_nodes]) {
  for (const named_value& output : g.outputs) used[output.node] = true;
  for (bool changed = true; changed;) { // a carried value needs what the body makes of it, which comes later
    changed = false;
    for (int id = g.node_count() - 1; id >= 0; --id) {
      if (!used[id]) continue;
      const node& n = g.at(id);
      for (int k = 0; k < n.operand_count; ++k) used[g.operand(id, k)] = true;
      if (n.kind != op::carry) continue;
      bool& next = used[g.region(n.region).results[n.settings.carried.index]];
      changed |= !next;
      next = true;
    }
  }
}

/// What no output of a graph as it was declared depends on: parameters, and words. An input may be there for
/// its size alone.
class unused_nodes {
public:
  constexpr explicit unused_nodes(const graph_view& g) {
    bool used[graph::max_nodes] = {};
    mark_used(g, used);
    for (int id = 0; id < g.node_count();) {
      bool any_used = false;
      do {
        any_used |= used[id];
        unused_[id] = g.at(id).kind == op::parameter && !used[id];
      } while (++id < g.node_count() && of_one_call(g, g.at(id - 1), g.at(id)));
      if (!any_used && may_be_a_word(g.at(id - 1))) unused_[id - 1] = true;
    }
  }

  /// Whether a node is such a parameter; or the last node of such a word, which stands for all of it.
  constexpr bool contains(int id) const { return unused_[id]; }

private:
  /// A number is part of the word that takes it, and what stands for a value inside a loop is no word.
  static constexpr bool may_be_a_word(const node& n) {
    if (n.kind == op::constant || n.kind == op::range) return n.at.word != nullptr;
    return n.kind != op::input && !is_inner(n.kind);
  }
  /// Whether a node and the next one are parts of one word: a repeat gives several values, and other words
  /// are made of several nodes on one line, in scopes of which one lies in the other.
  static constexpr bool of_one_call(const graph_view& g, const node& one, const node& next) {
    if (one.kind == op::repeat_output && next.kind == op::repeat_output &&
        one.settings.carried.region == next.settings.carried.region)
      return true;
    return one.at.word != nullptr && next.at.word != nullptr && one.at.line == next.at.line &&
           same_text(one.at.word, next.at.word) &&
           (lies_in(g, one.scope, next.scope) || lies_in(g, next.scope, one.scope));
  }
  static constexpr bool lies_in(const graph_view& g, int scope, int around) {
    while (scope != around && scope != 0) scope = g.scopes[static_cast<std::size_t>(scope)].parent;
    return scope == around;
  }

  bool unused_[graph::max_nodes] = {};
};

} // namespace fovea::core::detail
