#pragma once

#include <fovea/dsl/graph.hpp>

namespace fovea::core::detail {

/// What is wrong with a graph and shows only when it is whole: an input may say how large a symbol is after
/// its use.
struct finished_graph {
  const graph& g;
  sentence error;
  const char* known[graph::max_forms * dim::max_atoms] = {}; // symbols whose sizes the inputs tell
  int known_count = 0;

  constexpr explicit finished_graph(const graph& of) : g(of) {
    while (learn_symbol()) {
    }
    for (int form = 0; form < g.form_count; ++form)
      if (const int unknown = unknown_in(g.forms[form]); unknown >= 0) {
        refuse_symbol(g.forms[form].atoms[unknown].symbol);
        return;
      }
    check_sizes();
  }

  constexpr bool knows(const char* symbol) const {
    for (int i = 0; i < known_count; ++i)
      if (same_text(known[i], symbol)) return true;
    return false;
  }
  /// Which atom of a dim is a symbol whose size is not known, or -1.
  constexpr int unknown_in(const dim& d) const {
    for (int i = 0; i < d.atom_count; ++i)
      if (d.atoms[i].divisor == 0 && !knows(d.atoms[i].symbol)) return i;
    return -1;
  }
  constexpr bool mentions(std::uint16_t d, const char* symbol) const {
    return !g.is_number(d) && g.forms[-1 - g.dim_numbers[d]].mentions(dim::symbol(symbol));
  }

  /// Finds an axis of an input that tells one more symbol: all others in it are known.
  constexpr bool learn_symbol() {
    for (int i = 0; i < g.input_count; ++i) {
      const shape& s = g.nodes[g.inputs[i].node].shape;
      for (int axis = 0; axis < s.rank; ++axis) {
        if (g.is_number(s[axis])) continue;
        const dim& form = g.forms[-1 - g.dim_numbers[s[axis]]];
        const int unknown = unknown_in(form);
        if (unknown < 0) continue;
        const char* symbol = form.atoms[unknown].symbol;
        known[known_count++] = symbol;
        if (unknown_in(form) < 0 && form.tells(symbol)) return true;
        --known_count;
      }
    }
    return false;
  }

  /// At an input that has the symbol, else at the first word that does.
  constexpr void refuse_symbol(const char* symbol) {
    const auto has_it = [&](const shape& s) {
      for (int axis = 0; axis < s.rank; ++axis)
        if (mentions(s[axis], symbol)) return true;
      return false;
    };
    for (int i = 0; i < g.input_count; ++i) {
      const node& n = g.nodes[g.inputs[i].node];
      if (!has_it(n.shape)) continue;
      g.say(34, error, n.at, 0, graph::quoted{"input", g.inputs[i].name}, ": how large ", symbol,
            " is does not follow from ", n.shape, "; expected ", symbol, " in one term, as in 2*", symbol,
            " + 1, or as an axis of another input");
      return;
    }
    for (int id = 0; id < g.node_count; ++id) {
      const node& n = g.nodes[id];
      const bool from_it = n.kind == op::slice && mentions(n.settings.slice.first, symbol);
      if (!from_it && !has_it(n.shape)) continue;
      g.say(35, error, n.at, n.scope, word_of(n), ": no input says how large ", symbol,
            " is; expected an axis ", symbol, " in the shape of an input");
      return;
    }
  }

  /// The product, or what is above most_elements where that is.
  static constexpr std::int64_t times(std::int64_t elements, std::int64_t by) {
    return by > graph::most_elements / elements ? graph::most_elements + 1 : elements * by;
  }
  constexpr void check_sizes() {
    std::int64_t largest = 1;
    for (int d = 0; d < g.dim_count; ++d) largest = largest < g.dim_numbers[d] ? g.dim_numbers[d] : largest;
    // With so many axes a value has at most most_elements, whichever its numbers are.
    int small_rank = 0;
    for (std::int64_t n = times(1, largest); n <= graph::most_elements && small_rank < shape::max_rank;
         n = times(n, largest))
      ++small_rank;
    for (int id = 0; id < g.node_count && error.empty(); ++id) {
      const node& n = g.nodes[id];
      const bool of_layers = n.kind == op::parameter && n.region != 0;
      if (n.shape.rank > small_rank || of_layers || largest > graph::largest_dim) check_size(n, of_layers);
    }
  }
  constexpr void check_size(const node& n, bool of_layers) {
    std::int64_t elements = 1;
    for (int axis = 0; axis < n.shape.rank; ++axis) {
      if (!g.is_number(n.shape[axis])) continue;
      if (g.number(n.shape[axis]) > graph::largest_dim) {
        g.say(36, error, n.at, n.scope, word_of(n), ": axis ", axis, " of ", n.shape, " is larger than ",
              graph::largest_dim);
        return;
      }
      elements = times(elements, g.number(n.shape[axis]));
    }
    for (int r = of_layers ? n.region : 0; r > 0; r = g.regions[r].parent)
      elements = times(elements, g.regions[r].count);
    if (elements <= graph::most_elements) return;
    if (n.kind == op::parameter)
      g.say(37, error, n.at, 0, graph::quoted{"parameter", g.parameter_name(n.settings.entry.index).text},
            ": ", n.shape, of_layers ? " in all its layers" : "", " has more than ", graph::most_elements,
            " elements");
    else
      g.say(38, error, n.at, n.scope, word_of(n), ": ", n.shape, " has more than ", graph::most_elements,
            " elements");
  }
};

} // namespace fovea::core::detail
