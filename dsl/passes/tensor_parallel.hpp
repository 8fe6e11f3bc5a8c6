#pragma once

#include <cstdint>
#include <type_traits>

#include <fovea/dsl/elementwise.hpp>
#include <fovea/dsl/model.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/ranks.hpp>

namespace fovea::core {

namespace detail {

/// Which nodes of a model each of several ranks computes a part of: between products whose rows are divided (columns of
/// W^T: each rank gives some features) and a product whose columns are (each rank takes these features), what works feature
/// by feature or head by head (Shoeybi et al. 2019, "Megatron-LM", section 3).
struct divided_products {
  const graph& g;
  bool divided[graph::max_nodes] = {}; // a rank has a part of its last axis
  bool summed[graph::max_nodes] = {};  // a product of divided features, the sum over the ranks
  std::int32_t by_rows[graph::max_nodes] = {}, uses[graph::max_nodes] = {};
  std::int32_t found[graph::max_nodes] = {}; // the nodes in front of the product that is looked at
  int found_count = 0;

  constexpr explicit divided_products(const graph& of) : g(of) {
    count_uses();
    for (int id = 0; id < g.node_count; ++id)
      if (is_product(id)) look_in_front_of(id);
  }

private:
  constexpr void count_uses() {
    for (int id = 0; id < g.node_count; ++id)
      for (int k = 0; k < g.nodes[id].operand_count; ++k) ++uses[g.operand(id, k)];
    for (int i = 0; i < g.output_count; ++i) ++uses[g.outputs[i].node];
    for (int r = 1; r < g.region_count; ++r)
      for (int k = 0; k < g.regions[r].carried; ++k) ++uses[g.regions[r].results[k]];
  }
  /// A product by weights that nothing else reads.
  constexpr bool is_product(int id) const {
    const node& n = g.nodes[id];
    if (n.kind != op::linear) return false;
    for (int k = 1; k < n.operand_count; ++k)
      if (g.nodes[g.operand(id, k)].kind != op::parameter || uses[g.operand(id, k)] != 1) return false;
    return true;
  }

  constexpr void look_in_front_of(int product) {
    found_count = 0;
    bool fits = add(g.operand(product, 0), g.nodes[product].region);
    for (int i = 0; i < found_count && fits; ++i) fits = used_among_them(found[i], product);
    for (int i = 0; i < found_count; ++i) divided[found[i]] = fits;
    summed[product] = fits;
  }
  constexpr bool used_among_them(int id, int product) const {
    int count = g.operand(product, 0) == id ? 1 : 0;
    for (int i = 0; i < found_count; ++i)
      for (int k = 0; k < divided_operands(found[i]); ++k) count += g.operand(found[i], k) == id ? 1 : 0;
    return count == uses[id];
  }
  /// How many operands of a divided node are divided: of a product none.
  constexpr int divided_operands(int id) const {
    const node& n = g.nodes[id];
    return n.kind == op::linear ? 0 : n.kind == op::attention ? 3 : n.operand_count;
  }
  /// Adds a value to what is found, with what it is made of; false where a part of it is no part of that.
  constexpr bool add(int id, int region) {
    for (int i = 0; i < found_count; ++i)
      if (found[i] == id) return true;
    if (g.nodes[id].region != region || divided[id] || summed[id] || !works_on_parts(id)) return false;
    found[found_count++] = id;
    for (int k = 0; k < divided_operands(id); ++k)
      if (!add_operand(id, g.operand(id, k), region)) return false;
    return true;
  }
  constexpr bool add_operand(int id, int from, int region) {
    if (!is_elementwise(g.nodes[id].kind)) return add(from, region);
    if (g.nodes[from].kind == op::constant) return true; // the same everywhere
    const shape &all = g.nodes[id].shape, &s = g.nodes[from].shape;
    return s.rank > 0 && s[-1] == all[-1] && add(from, region);
  }
  constexpr bool works_on_parts(int id) const {
    const node& n = g.nodes[id];
    if (n.type != element::f32) return false;
    if (n.kind == op::linear) return is_product(id);
    if (n.kind == op::rope) return true;
    if (n.kind == op::attention) {
      const attention_settings& a = n.settings.attention;
      return !a.has_bias && n.operand_count == a.first_table() && !knows_its_head(a.score) &&
             !knows_its_head(a.mask);
    }
    return is_elementwise(n.kind) && n.kind != op::dropout;
  }
  constexpr bool knows_its_head(int function) const {
    if (function < 0) return false;
    for (int i = 0; i < g.functions[function].count; ++i)
      if (g.functions[function].nodes[i].kind == op::head_index) return true;
    return false;
  }
};

/// Writes the part of a model that each of so many ranks computes.
struct tensor_parallel_writer {
  const graph& g;
  graph& to;
  int ranks;
  divided_products of = divided_products(g);
  graph_view view = view_of_tables(g);
  std::int32_t mapped[graph::max_nodes] = {};
  std::int8_t split_axis[graph::max_parameters] = {};

  constexpr void run() {
    copy_tables(to, g);
    to.ranks = ranks;
    for (std::int8_t& axis : split_axis) axis = -1;
    bool any = false;
    for (int id = 0; id < g.node_count && to.error.empty(); ++id) {
      any |= of.summed[id];
      if (of.divided[id] || of.summed[id]) check(id);
    }
    if (!any)
      to.fail(348, g.latest,
              "tensor_parallel: expected products with nothing between them but what works feature by "
              "feature or head by head, as attention and what follows it; found none");
    if (!to.error.empty()) return;
    divide_parameters();
    write_graph(to, view, *this);
    for (int p = 0; p < to.parameter_count; ++p) to.parameters[p].split_axis = split_axis[p];
    write_outputs(to, view, [this](int id) { return mapped[id]; });
  }

  /// Of what product a parameter is: [out, in] in front, where each rank gives some features, and in that which takes them.
  constexpr void divide_parameters() {
    const auto divide = [this](int parameter, std::int8_t axis) {
      split_axis[g.nodes[parameter].settings.entry.index] = axis;
    };
    for (int id = 0; id < g.node_count; ++id) {
      if (g.nodes[id].kind != op::linear) continue;
      if (of.summed[id]) divide(g.operand(id, 1), 1);
      for (int k = 1; of.divided[id] && k < g.nodes[id].operand_count; ++k) divide(g.operand(id, k), 0);
    }
  }

  constexpr void check(int id) {
    const node& n = g.nodes[id];
    const auto expect_multiple = [&](std::int64_t found, const char* what) {
      if (found % ranks == 0 || !to.error.empty()) return;
      to.current_scope = n.scope;
      to.fail(349, n.at, "tensor_parallel<", ranks, ">: ", word_of(n), " has ", found, " ", what,
              "; expected a multiple of ", ranks);
      to.current_scope = 0;
    };
    if (n.kind == op::attention) {
      expect_multiple(n.settings.attention.heads, "heads");
      expect_multiple(n.settings.attention.kv_heads, "heads of keys and values");
    }
    if (n.kind == op::rope) expect_multiple(n.settings.rope.heads, "heads");
    if (of.divided[id] && n.kind == op::linear) expect_multiple(g.number(n.shape[-1]), "features");
  }
  constexpr std::uint16_t part_of(std::uint16_t d) { return to.intern(g.number(d) / ranks); }

  constexpr std::int32_t write(int id) {
    if (of.summed[id]) return sum_over_ranks(id);
    node n = g.nodes[id];
    if (n.kind == op::parameter && split_axis[n.settings.entry.index] >= 0) {
      std::uint16_t& axis = n.shape.dims[split_axis[n.settings.entry.index]];
      axis = part_of(axis);
    }
    if (of.divided[id]) {
      n.shape[-1] = part_of(n.shape[-1]);
      const auto divide = [this](auto& heads) {
        heads = static_cast<std::remove_reference_t<decltype(heads)>>(heads / ranks);
      };
      if (n.kind == op::attention) divide(n.settings.attention.heads), divide(n.settings.attention.kv_heads);
      if (n.kind == op::rope) divide(n.settings.rope.heads);
    }
    return add_in_place(to, n, view, id, [this](int k) { return mapped[k]; });
  }
  /// The product of this rank's features, summed; the bias comes once.
  constexpr std::int32_t sum_over_ranks(int id) {
    const node& n = g.nodes[id];
    const auto l = [&](auto x) { return located(x, n.at); };
    const expr part{&to, add_node(to, n, {mapped[g.operand(id, 0)], mapped[g.operand(id, 1)]})};
    const expr all = l(mean_over_ranks(part, n.at)) * l(static_cast<double>(ranks));
    return n.operand_count == 2 ? all.id : (l(all) + l(expr{&to, mapped[g.operand(id, 2)]})).id;
  }
};

/// The graph of what one of so many ranks computes; it is the same for each.
template <class source, int ranks>
struct part_of_model {
  static constexpr graph build() {
    graph made;
    tensor_parallel_writer{source::built, made, ranks}.run();
    return made;
  }
  static constexpr graph built = build();
  static constexpr sentence error = built.error;
};

} // namespace detail

/// A model that so many ranks compute together: tensor_parallel<2>(m). Where nothing stands between products but what works
/// feature by feature or head by head, as in attention and a feed-forward layer, each rank has its part of the features and
/// heads, with its part of the weights, and the last product is summed over the ranks. All else each computes whole. It has
/// the inputs and outputs of the model, and takes its weights: compile(tensor_parallel<2>(m), weights, {.group = group}).
/// A model without such products, or whose heads or features do not divide, is a compile-time error.
template <int ranks, class M>
requires(M::well_formed&& ranks >= 2) constexpr auto tensor_parallel(const M& model) {
  return model_of<detail::part_of_model<typename M::source, ranks>>{model.name, model.names};
}
/// A model with an error has said so already.
template <int ranks, class M>
requires(!M::well_formed) constexpr M tensor_parallel(const M& model) { return model; }

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::tensor_parallel;
} // namespace fovea
