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
      bool& next = used[g.region(n.attributes[1]).results[n.attributes[0]]];
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
    for (int id = 0; id < g.node_count(); ++id)
      unused_[id] = !used[id] && (g.at(id).kind == op::parameter ||
                                  (may_be_a_word(g.at(id)) && is_unused_word(g, id, used)));
  }

  /// Whether a node is such a parameter; or the last node of such a word, which stands for all of it.
  constexpr bool contains(int id) const { return unused_[id]; }

private:
  /// A number is part of the word that takes it, and what stands for a value inside a loop is no word.
  static constexpr bool may_be_a_word(const node& n) {
    switch (n.kind) {
      case op::input:
      case op::carry:
      case op::time_step:
      case op::time_index:
      case op::stack:
        return false;
      case op::constant:
      case op::range:
        return n.at.word != nullptr;
      default:
        return true;
    }
  }
  static constexpr bool is_unused_word(const graph_view& g, int id, const bool (&used)[graph::max_nodes]) {
    for (int later = id + 1; later < g.node_count(); ++later)
      if (of_one_call(g, id, later)) return false;
    for (int earlier = id - 1; earlier >= 0; --earlier)
      if (used[earlier] && of_one_call(g, id, earlier)) return false;
    return true;
  }
  /// Whether two nodes are parts of one word: a repeat gives several values, and other words are made of
  /// several nodes at one place, in scopes of which one lies in the other.
  static constexpr bool of_one_call(const graph_view& g, int a, int b) {
    const node &one = g.at(a), &other = g.at(b);
    if (one.kind == op::repeat_output && other.kind == op::repeat_output &&
        one.attributes[1] == other.attributes[1])
      return true;
    return one.at.word != nullptr && other.at.word != nullptr && one.at.line == other.at.line &&
           same_text(one.at.word, other.at.word) && same_text(one.at.file, other.at.file) &&
           (lies_in(g, one.scope, other.scope) || lies_in(g, other.scope, one.scope));
  }
  static constexpr bool lies_in(const graph_view& g, int scope, int around) {
    while (scope != around && scope != 0) scope = g.scopes[static_cast<std::size_t>(scope)].parent;
    return scope == around;
  }

  bool unused_[graph::max_nodes] = {};
};

} // namespace fovea::core::detail
