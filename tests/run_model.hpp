#pragma once

// Runs any model on values by name, on both backends, and compares its outputs with a reference case or with
// each other.

#include "model_case.hpp"
#include "page_end.hpp"
#include "valid_graph.hpp"

#include <fovea/dsl/passes/gradient_graph.hpp>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace fovea::core::test {

using named_values = std::map<std::string, golden_tensor>;

namespace detail {

/// A name that a model's graph keeps, as a template argument.
template <class M, bool of_input, std::size_t i>
struct boundary {
  static constexpr const char* text = (of_input ? M::view.inputs : M::view.outputs)[i].name;
  static constexpr std::size_t size = std::char_traits<char>::length(text) + 1;
  struct characters {
    char of[size];
  };
  static constexpr characters copied = [] {
    characters made{};
    std::copy_n(text, size, made.of);
    return made;
  }();
  static constexpr fixed_name<size> name{copied.of};
};
template <class M, bool of_input, std::size_t i>
inline constexpr auto boundary_name = boundary<M, of_input, i>::name;

/// An input as an expression without a rank of its own. Calls read floats from where it lies: nothing that
/// can be read follows them.
template <class M, std::size_t i>
auto given(const named_values& inputs) {
  const golden_tensor& from = inputs.at(M::view.inputs[i].name);
  using number =
      std::conditional_t<M::view.at(M::view.inputs[i].node).type == element::f32, float, std::int64_t>;
  xt::xarray<number, xt::layout_type::row_major, page_end<number>> made(from.shape);
  std::transform(from.values.begin(), from.values.end(), made.data(),
                 [](double x) { return static_cast<number>(x); });
  return made;
}

/// Exactly what the inputs need: memory beyond it would hide reads past the end from the sanitizers.
compile_options fitting(const graph_view& g, const named_values& inputs);
template <class M>
compile_options fitting(const named_values& inputs) {
  return fitting(M::view, inputs);
}

template <class M, class net_type, std::size_t... in, std::size_t... out>
named_values call(net_type& net, const named_values& inputs, std::index_sequence<in...>,
                  std::index_sequence<out...>) {
  const auto result = net((input_key<boundary_name<M, true, in>>{} = given<M, in>(inputs))...);
  named_values made;
  const auto keep = [&](const char* name, const auto& view) {
    made[name] = {{view.shape().begin(), view.shape().end()}, {view.begin(), view.end()}, false};
  };
  (keep(M::view.outputs[out].name, result[output_key<boundary_name<M, false, out>>{}]), ...);
  return made;
}

} // namespace detail

/// The outputs of one call of a compiled model, by name.
template <class M, class net_type>
named_values call_model(const M&, net_type& net, const named_values& inputs) {
  return detail::call<M>(net, inputs, std::make_index_sequence<M::view.inputs.size()>{},
                         std::make_index_sequence<M::view.outputs.size()>{});
}

/// The same of a model compiled for this call alone.
template <class backend, class M>
named_values run_model(const M& model, const model_weights& from, const named_values& inputs,
                       int threads = 1) {
  check_valid(M::view);
  check_valid(M::lowered::view, "all passes");
  static_assert(settings_are_told(M::lowered::view));
  compile_options options = detail::fitting<M>(inputs);
  options.threads = threads;
  auto net = compile<backend>(model, from, options);
  return call_model(model, net, inputs);
}

/// The inputs of a case.
named_values inputs_of(const golden_case& c);
/// The same, those of the second names under the first too, as a model calls them.
named_values inputs_of(const golden_case& c,
                       std::initializer_list<std::pair<const char* const, const char*>> names);

namespace detail {

/// Checks each output of a model against the case's of the same name.
void check_own_outputs(const graph_view& g, const golden_case& c, const named_values& found);

/// What the gradients of a model are held against.
class case_gradients {
public:
  /// `scope` stands before the names of the case's parameters, which find those of the model by `names`.
  case_gradients(const graph_view& g, const golden_case& c, std::span<const name_rule> names,
                 const std::string& scope);
  /// What arrives at the outputs that the case's loss does not use.
  void add_zeros(named_values& inputs) const;
  /// Checks outputs and gradients by name.
  void check(const named_values& found) const;

private:
  const graph_view& g_;
  const golden_case& c_;
  model_weights of_parameters_;
  std::vector<name_rule> names_;
  model_parameters expected_;
};

} // namespace detail

/// Runs a case on both backends and checks each output of the model against the case's of the same name.
template <class M>
void check_outputs(const M& model, const golden_case& c, const model_weights& from,
                   const named_values& inputs) {
  on_both_backends([&](auto backend) {
    detail::check_own_outputs(M::view, c, run_model<decltype(backend)>(model, from, inputs));
  });
}

/// The gradients of the output "loss", or without one of what arrives at the outputs, input.d_NAME of the
/// case, on both backends against the case's; with them the outputs. `scope` stands before the names of the
/// case's parameters in `from`; `training`: of the model as it is while it is trained.
template <bool training = false, class M>
void check_gradients(const M& model, const golden_case& c, const model_weights& from, named_values inputs,
                     const std::string& scope = "") {
  check_passes<typename decltype(gradients<true, training>(model))::made_by>();
  const auto net = gradients<true, training>(model);
  const detail::case_gradients expected(M::view, c, model.names, scope);
  expected.add_zeros(inputs);
  on_both_backends([&](auto backend) { expected.check(run_model<decltype(backend)>(net, from, inputs)); });
}

/// Whether a case has gradients; requires those of a model with the outputs of `g`.
bool has_gradients(const graph_view& g, const golden_case& c);

/// Checks outputs, and gradients where the case has some.
template <class M>
void check_case(const M& model, const golden_case& c, const model_weights& from, const named_values& inputs,
                const std::string& scope = "") {
  check_outputs(model, c, from, inputs);
  if (has_gradients(M::view, c)) check_gradients(model, c, from, inputs, scope);
}
template <class M>
void check_case(const M& model, const char* name) {
  const golden_case c(name);
  check_case(model, c, weights_of(c), inputs_of(c));
}

} // namespace fovea::core::test
