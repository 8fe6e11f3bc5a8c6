#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <fovea/dsl/ill_formed.hpp>
#include <fovea/dsl/names.hpp>
#include <fovea/dsl/passes/differentiate.hpp>
#include <fovea/dsl/passes/gradient_name.hpp>
#include <fovea/dsl/passes/passes.hpp>
#include <fovea/dsl/passes/prune.hpp>
#include <fovea/dsl/passes/training_form.hpp>
#include <fovea/dsl/plan/cost.hpp>

namespace fovea::core {

namespace detail {

/// The output that training makes small.
inline constexpr const char* loss_name = "loss";

constexpr int find_loss(const graph_view& g) {
  for (const named_value& out : g.outputs)
    if (same_text(out.name, loss_name)) return out.node;
  return -1;
}

/// A model and the gradients of its loss: the graph, and the node that holds each parameter's gradient, with
/// the layers of the repeats around it as leading axes, or -1 where the loss does not depend on it.
struct gradient_outcome {
  graph made;
  static constexpr int most_roots = graph::max_outputs + 2 * graph::max_parameters + graph::max_inputs;
  std::int32_t roots[most_roots] = {}; // outputs, gradients of parameters, of inputs
  int root_count = 0;
};

/// `declared` is a model's declaration, `graph_of` its graph as `view`, whose first `own_outputs` outputs the
/// user declared.
template <class declared, class graph_of, bool of_inputs, std::size_t own_outputs>
struct differentiated {
  static constexpr const graph_view& from = graph_of::view;

  static constexpr auto seed_names = [] {
    std::array<gradient_name, own_outputs> names{};
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

  static constexpr gradient_outcome differentiate() {
    gradient_outcome o;
    copy_tables(o.made, declared::built);
    const int loss = find_loss(from);
    if (loss >= 0 && (from.at(loss).shape.rank != 0 || from.at(loss).type != element::f32)) {
      o.made.fail(273, from.at(loss).at, "output \"", loss_name, "\": expected one float32 number, found ",
                  name_of(from.at(loss).type), " ", from.at(loss).shape);
      return o;
    }
    differentiator<from.nodes.size()> pass{from, o.made};
    pass.run_forward(of_inputs);
    if (loss >= 0) check_moved(o.made, pass, loss);
    if (!o.made.error.empty()) return o;
    if (loss >= 0)
      pass.add(loss, o.made.add({.kind = op::constant, .settings = {.number = 1}, .at = from.at(loss).at}));
    else
      for (std::size_t i = 0; i < own_outputs; ++i)
        if (const node& out = from.at(from.outputs[i].node); out.type == element::f32)
          pass.add(from.outputs[i].node, arriving(o.made, out, seed_names[i].text));
    pass.run_back();
    if (!o.made.error.empty()) return o;
    for (const named_value& out : from.outputs) o.roots[o.root_count++] = pass.forward[out.node];
    for (const parameter_entry& p : from.parameters) o.roots[o.root_count++] = pass.gradient[p.node];
    if (of_inputs)
      for (const named_value& in : from.inputs)
        o.roots[o.root_count++] = pass.active[in.node] ? pass.gradient[in.node] : -1;
    return o;
  }
  static constexpr gradient_outcome pruned(const gradient_outcome& all) {
    if (!all.made.error.empty()) return all;
    gradient_outcome o;
    o.root_count = all.root_count;
    for (int i = 0; i < o.root_count; ++i) o.roots[i] = all.roots[i];
    prune(o.made, all.made, o.roots, o.root_count);
    return o;
  }
  static constexpr gradient_outcome whole = differentiate();
  static constexpr gradient_outcome outcome = pruned(whole);
  static constexpr const graph& built = outcome.made;
  static constexpr sentence error = built.error;
};

/// What stands for the gradients of a model that has none, so that the one sentence is the only error.
template <class source>
struct ill_formed_gradients {
  static constexpr bool well_formed = false;
  enum : std::size_t { reported = sizeof(report_of<source>) };
};

} // namespace detail

/// Of a model, or, with `training`, of its form in training where that differs.
template <class M, bool training>
struct form_of {
  using type = M;
};
template <class M>
requires(detail::differs_in_training(M::view)) struct form_of<M, true> {
  using type = training_form<M>;
};

/// The graph of a model with its gradients, in the place of a model: `gradients(model)`, to be compiled. Its
/// outputs are the model's own, then, with `training`, "new.NAME" for each statistic that is gathered
/// (training_form.hpp), then "grad.NAME" for each parameter that the loss depends on, with the layers of
/// repeats as a first axis, and, if wanted, "grad.input.NAME". The loss is the output "loss"; a model without
/// one gets an input "d_NAME" for each output, the gradient that arrives there.
template <class M, bool of_inputs, bool training>
struct gradient_graph {
  using form = typename form_of<M, training>::type;
  using source =
      detail::differentiated<typename form::source, transformed<form>, of_inputs, M::view.outputs.size()>;
  static constexpr bool well_formed = true;
  static constexpr auto image = detail::image_of<source>();

  static constexpr std::size_t own_outputs = M::view.outputs.size(), form_outputs = form::view.outputs.size(),
                               parameter_count = M::view.parameters.size();
  // Copied: a span would keep all of the outcome, with the graph at its largest, in the program.
  static constexpr auto roots = [] {
    std::array<std::int32_t, static_cast<std::size_t>(source::outcome.root_count)> copy{};
    for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = source::outcome.roots[i];
    return copy;
  }();
  static constexpr auto names_of_outputs = [] {
    std::array<detail::gradient_name, roots.size()> made{};
    for (std::size_t i = 0; i < made.size(); ++i)
      if (i < form_outputs)
        made[i] = {"", form::view.outputs[i].name};
      else if (i - form_outputs < parameter_count)
        made[i] = {"grad.", M::view.parameter_name(static_cast<int>(i - form_outputs)).text};
      else
        made[i] = {"grad.input.", M::view.inputs[i - form_outputs - parameter_count].name};
    return made;
  }();
  static constexpr std::size_t output_count = [] {
    std::size_t n = 0;
    for (const std::int32_t root : roots) n += root >= 0;
    return n;
  }();
  /// The output that holds a parameter's gradient, or -1.
  static constexpr int output_of(int parameter) {
    const std::size_t root = form_outputs + static_cast<std::size_t>(parameter);
    if (roots[root] < 0) return -1;
    int n = 0;
    for (std::size_t i = 0; i < root; ++i) n += roots[i] >= 0;
    return n;
  }
  /// The output that holds what a gathered statistic is to be after the step, or -1 of another parameter.
  static constexpr int new_value_of(int parameter) {
    const detail::gradient_name name("new.", M::view.parameter_name(parameter).text);
    for (std::size_t i = own_outputs; i < form_outputs; ++i)
      if (same_text(form::view.outputs[i].name, name.text)) return static_cast<int>(i);
    return -1;
  }
  static constexpr auto output_table = [] {
    std::array<named_value, output_count> table{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < roots.size(); ++i)
      if (roots[i] >= 0) table[n++] = {names_of_outputs[i].text, roots[i]};
    return table;
  }();
  static constexpr graph_view view = [] {
    graph_view v = image.view();
    v.outputs = output_table;
    return v;
  }();
  using lowered = lowering<gradient_graph>;

  const char* name;
  const name_rule* names = nullptr;
  int name_count = 0;

  static constexpr std::int64_t parameters() { return M::parameters(); }
  /// Bytes of working memory at the given capacity, parameters not counted.
  static constexpr std::int64_t arena_bytes(dim_sizes capacity) {
    return count_arena_bytes(lowered::schedule,
                             [capacity](int d) { return view.largest(d, detail::given_sizes{capacity}); });
  }
};

/// A model's loss and its gradients, as a model to be compiled; with `of_inputs` those of its float32 inputs
/// too, with `training` of the model as it is while it is trained: dropout draws, batch_norm takes the
/// batch's statistics. A loss to which no parameter passes a gradient is a compile-time error that names the
/// operation in the way.
template <bool of_inputs = false, bool training = false, class M>
requires(M::well_formed) constexpr auto gradients(const M& model) {
  using form = typename form_of<M, training>::type;
  if constexpr (!form::source::error.empty()) {
    return detail::ill_formed_gradients<typename form::source>{};
  } else {
    using made = gradient_graph<M, of_inputs, training>;
    if constexpr (made::source::error.empty())
      return made{model.name, model.names, model.name_count};
    else
      return detail::ill_formed_gradients<typename made::source>{};
  }
}

/// Bytes of working memory that training takes at the given capacity, parameters and what an optimizer keeps
/// of them not counted: static_assert(training_bytes(gpt_loss, {{B, 12}, {T, 64}}) < 64 << 20).
template <class M>
constexpr std::int64_t training_bytes(const M& model, dim_sizes capacity) {
  return decltype(gradients<false, true>(model))::arena_bytes(capacity);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::gradients, core::training_bytes;
} // namespace fovea
