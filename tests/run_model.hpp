#pragma once

// Runs any model on values by name, on both backends, and compares its outputs with a reference case or with
// each other.

#include "model_case.hpp"
#include "page_end.hpp"
#include "valid_graph.hpp"

#include <fovea/dsl/passes/gradient_graph.hpp>

#include <algorithm>
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
template <class M>
compile_options fitting(const named_values& inputs) {
  compile_options options;
  std::vector<std::string> seen;
  for (const named_value& input : M::view.inputs)
    for (int axis = 0; axis < M::view.at(input.node).shape.rank; ++axis) {
      const int d = M::view.at(input.node).shape[axis];
      if (!M::view.dim_of(d).is_symbol()) continue;
      sentence label;
      label << M::view.dim_of(d);
      if (std::find(seen.begin(), seen.end(), label.text) != seen.end()) continue;
      seen.emplace_back(label.text);
      const std::size_t size = inputs.at(input.name).shape[static_cast<std::size_t>(axis)];
      options.capacity.push_back({M::view.dim_of(d), static_cast<std::int64_t>(size)});
    }
  return options;
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

/// Whether a model has an output of that name.
template <class M>
bool has_output(const std::string& name) {
  return std::any_of(M::view.outputs.begin(), M::view.outputs.end(),
                     [&](const named_value& out) { return name == out.name; });
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
inline named_values inputs_of(const golden_case& c) {
  const std::string prefix = "input.";
  named_values made;
  for (const auto& [name, tensor] : c.tensors())
    if (name.starts_with(prefix)) made[name.substr(prefix.size())] = tensor;
  return made;
}

/// The same, those of the second names under the first too, as a model calls them.
inline named_values inputs_of(const golden_case& c,
                              std::initializer_list<std::pair<const char* const, const char*>> names) {
  named_values made = inputs_of(c);
  for (const auto& [ours, theirs] : names) made[ours] = made.at(theirs);
  return made;
}

namespace detail {

/// Checks each output of a model against the case's of the same name.
template <class M>
void check_own_outputs(const golden_case& c, const named_values& found) {
  for (const named_value& out : M::view.outputs) {
    const std::string name = out.name;
    const golden_tensor& values = found.at(name);
    check(c, name == "loss" ? name : "output." + name, std::span<const double>(values.values), values.shape);
  }
}

} // namespace detail

/// Runs a case on both backends and checks each output of the model against the case's of the same name.
template <class M>
void check_outputs(const M& model, const golden_case& c, const model_weights& from,
                   const named_values& inputs) {
  on_both_backends([&](auto backend) {
    detail::check_own_outputs<M>(c, run_model<decltype(backend)>(model, from, inputs));
  });
}

namespace detail {

/// The gradients of a case as if they were weights, so that they find their parameters as weights do; zeros
/// for a parameter that has none.
inline model_weights gradients_in(const golden_case& c, const std::string& scope) {
  std::map<std::string, weight_tensor> made;
  for (const auto& [name, from] : parameters_of(c)) {
    weight_tensor& tensor = made[scope + name] = {from.shape, std::vector<float>(from.values.size())};
    if (c.has("grad." + name)) {
      const std::vector<double>& values = c.at("grad." + name).values;
      tensor.values.assign(values.begin(), values.end());
    }
  }
  return model_weights::from(std::move(made), c.name());
}

/// A table of names as gradients go through it: what is added to a tensor adds nothing to its gradient.
inline std::vector<name_rule> names_of_gradients(std::span<const name_rule> names) {
  std::vector<name_rule> made(names.begin(), names.end());
  for (name_rule& rule : made)
    if (rule.how.is(naming::transform::kind::raised)) rule.how = {};
  return made;
}

} // namespace detail

/// The gradients of the output "loss", or without one of what arrives at the outputs, input.d_NAME of the
/// case, on both backends against the case's; with them the outputs. `scope` stands before the names of the
/// case's parameters in `from`; `training`: of the model as it is while it is trained.
template <bool training = false, class M>
void check_gradients(const M& model, const golden_case& c, const model_weights& from, named_values inputs,
                     const std::string& scope = "") {
  check_passes<typename decltype(gradients<true, training>(model))::made_by>();
  const auto net = gradients<true, training>(model);
  const model_weights of_parameters = detail::gradients_in(c, scope);
  const std::vector<name_rule> names = detail::names_of_gradients(model.names);
  const model_parameters expected(M::view, of_parameters, names);
  const auto compare = [&](const std::string& name, const std::vector<double>& found,
                           const golden_tensor& reference) {
    INFO("gradient of " << name);
    REQUIRE(found.size() == reference.values.size());
    const distance d =
        distance_of(std::span<const double>(found), reference, c.rtol("grad."), c.atol("grad."));
    INFO("element " << d.worst << " is " << found[d.worst] << ", expected " << reference.values[d.worst]);
    CHECK(d.share <= 1);
  };
  // What arrives at an output that the case's loss does not use is zero.
  for (const named_value& out : M::view.outputs)
    if (const std::string name = std::string("d_") + out.name;
        !detail::has_output<M>("loss") && !inputs.contains(name)) {
      const golden_tensor& like = c.at(std::string("output.") + out.name);
      inputs[name] = {like.shape, std::vector<double>(like.values.size()), false};
    }
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(net, from, inputs);
    detail::check_own_outputs<M>(c, found);
    for (std::size_t p = 0; p < M::view.parameters.size(); ++p) {
      golden_tensor reference;
      for (int i = expected.first(static_cast<int>(p)); i < expected.first(static_cast<int>(p) + 1); ++i) {
        const weight_view& layer = expected.values()[static_cast<std::size_t>(i)];
        reference.values.insert(reference.values.end(), layer.data, layer.data + layer.size);
      }
      const std::string name = M::view.parameter_name(static_cast<int>(p)).text;
      const auto made = found.find("grad." + name);
      compare(name, made == found.end() ? std::vector<double>(reference.values.size()) : made->second.values,
              reference);
    }
    for (const named_value& input : M::view.inputs) {
      const std::string name = std::string("grad.input.") + input.name;
      if (c.has(name) && found.contains(name)) compare(input.name, found.at(name).values, c.at(name));
    }
  });
}

/// Checks outputs, and gradients where the case has some.
template <class M>
void check_case(const M& model, const golden_case& c, const model_weights& from, const named_values& inputs,
                const std::string& scope = "") {
  check_outputs(model, c, from, inputs);
  const auto begins = [&](const char* prefix) {
    const auto first = c.tensors().lower_bound(prefix);
    return first != c.tensors().end() && first->first.starts_with(prefix);
  };
  if (!begins("grad.")) return;
  INFO("the gradients of a case with a loss of its own are those of a model with that loss");
  REQUIRE((begins("input.d_") || detail::has_output<M>("loss")));
  check_gradients(model, c, from, inputs, scope);
}
template <class M>
void check_case(const M& model, const char* name) {
  const golden_case c(name);
  check_case(model, c, weights_of(c), inputs_of(c));
}

} // namespace fovea::core::test
