#pragma once

#include <array>
#include <cstddef>

#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/differentiator.hpp>
#include <fovea/dsl/passes/gradient_name.hpp>
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
    if (source.ranks > 1) {
      made.fail(350, source.latest,
                "a tensor_parallel model has no gradients; expected the whole model, and the ranks ",
                "that learn together as the .group of train");
      return made;
    }
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
