#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <fovea/dsl/ill_formed.hpp>
#include <fovea/dsl/names.hpp>
#include <fovea/dsl/passes/differentiate.hpp>
#include <fovea/dsl/passes/gradient_name.hpp>
#include <fovea/dsl/passes/hoist.hpp>
#include <fovea/dsl/passes/loss_count.hpp>
#include <fovea/dsl/passes/passes.hpp>
#include <fovea/dsl/passes/prune.hpp>
#include <fovea/dsl/passes/training_form.hpp>
#include <fovea/dsl/plan/cost.hpp>
#include <fovea/dsl/plan/lowering.hpp>

namespace fovea::core {

namespace detail {

/// What stands for the gradients of a model that has none, so that the one sentence is the only error.
template <class source>
struct ill_formed_gradients {
  static constexpr bool well_formed = false;
  enum : std::size_t { reported = sizeof(report_of<source>) };
};

template <class M, bool of_inputs, bool training>
using gradient_pipeline = std::conditional_t<training, pipelines::learn<typename M::source, of_inputs>,
                                             pipelines::differentiate<typename M::source, of_inputs>>;

} // namespace detail

/// The graph of a model with its gradients, in the place of a model: `gradients(model)`, to be compiled. Its
/// outputs are the model's own, then, with `training`, "count.loss", what the loss is a mean over
/// (loss_count.hpp), and "new.NAME" for each statistic that is gathered (training_form.hpp), then "grad.NAME"
/// for each parameter that the loss depends on, with the layers of repeats as a first axis, and, if wanted,
/// "grad.input.NAME" (differentiate.hpp).
template <class M, bool of_inputs, bool training>
struct gradient_graph {
  using made_by = detail::gradient_pipeline<M, of_inputs, training>;
  using source = typename made_by::result;
  static constexpr bool well_formed = true;
  static constexpr auto image = detail::image_of<source>();

  /// What there is beside the model's own outputs, of the loss, a parameter or an input.
  enum class making : std::uint8_t { count, new_value, gradient, input_gradient };
  struct made_output {
    making what;
    int of;
    std::int32_t node;
  };
  static constexpr std::size_t own_outputs = M::view.outputs.size();
  static constexpr int count_node =
      training ? detail::find_count(image.view(), detail::find_loss(image.view())) : -1;
  static constexpr std::size_t output_count = [] {
    std::size_t n = own_outputs + (count_node >= 0);
    for (const parameter_entry& p : image.parameter_table) n += (p.gathered >= 0) + (p.gradient >= 0);
    for (const named_value& in : image.input_table) n += in.gradient >= 0;
    return n;
  }();
  static constexpr auto made_outputs = [] {
    std::array<made_output, output_count - own_outputs> made{};
    std::size_t n = 0;
    const auto add = [&](making what, std::size_t of, std::int32_t id) {
      if (id >= 0) made[n++] = {what, static_cast<int>(of), id};
    };
    add(making::count, 0, count_node);
    for (std::size_t p = 0; p < image.parameter_table.size(); ++p)
      add(making::new_value, p, image.parameter_table[p].gathered);
    for (std::size_t p = 0; p < image.parameter_table.size(); ++p)
      add(making::gradient, p, image.parameter_table[p].gradient);
    for (std::size_t i = 0; i < image.input_table.size(); ++i)
      add(making::input_gradient, i, image.input_table[i].gradient);
    return made;
  }();
  static constexpr int find_output(making what, int of) {
    for (std::size_t i = 0; i < made_outputs.size(); ++i)
      if (made_outputs[i].what == what && made_outputs[i].of == of) return static_cast<int>(own_outputs + i);
    return -1;
  }
  /// The output that holds a parameter's gradient, an input's, what the loss is a mean over, or what a gathered
  /// statistic is to be after the step; -1 where none does.
  static constexpr int output_of(int parameter) { return find_output(making::gradient, parameter); }
  static constexpr int output_of_input(int input) { return find_output(making::input_gradient, input); }
  static constexpr int count_output() { return find_output(making::count, 0); }
  static constexpr int new_value_of(int parameter) { return find_output(making::new_value, parameter); }

  static constexpr auto made_names = [] {
    std::array<detail::gradient_name, output_count - own_outputs> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      const auto [what, of, node] = made_outputs[i];
      if (what == making::count)
        made[i] = {"count.", detail::loss_name};
      else if (what == making::input_gradient)
        made[i] = {"grad.input.", M::view.inputs[static_cast<std::size_t>(of)].name};
      else
        made[i] = {what == making::gradient ? "grad." : "new.", M::view.parameter_name(of).text};
    }
    return made;
  }();
  static constexpr auto output_table = [] {
    std::array<named_value, output_count> table{};
    for (std::size_t i = 0; i < own_outputs; ++i) table[i] = image.output_table[i];
    for (std::size_t i = own_outputs; i < output_count; ++i)
      table[i] = {made_names[i - own_outputs].text, made_outputs[i - own_outputs].node};
    return table;
  }();
  static constexpr graph_view view = [] {
    graph_view v = image.view();
    v.outputs = output_table;
    return v;
  }();
  using lowered = lowering<gradient_graph>;

  const char* name;
  std::span<const name_rule> names = {};

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
  using made = typename detail::gradient_pipeline<M, of_inputs, training>::result;
  if constexpr (made::error.empty())
    return gradient_graph<M, of_inputs, training>{model.name, model.names};
  else
    return detail::ill_formed_gradients<made>{};
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
