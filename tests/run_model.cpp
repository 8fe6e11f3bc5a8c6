#include "run_model.hpp"

#include <catch2/catch.hpp>

namespace fovea::core::test {

named_values inputs_of(const golden_case& c) {
  const std::string prefix = "input.";
  named_values made;
  for (const auto& [name, tensor] : c.tensors())
    if (name.starts_with(prefix)) made[name.substr(prefix.size())] = tensor;
  return made;
}

named_values inputs_of(const golden_case& c,
                       std::initializer_list<std::pair<const char* const, const char*>> names) {
  named_values made = inputs_of(c);
  for (const auto& [ours, theirs] : names) made[ours] = made.at(theirs);
  return made;
}

namespace {

bool has_output(const graph_view& g, const std::string& name) {
  return std::any_of(g.outputs.begin(), g.outputs.end(),
                     [&](const named_value& out) { return name == out.name; });
}

/// The gradients of a case as if they were weights, so that they find their parameters as weights do; zeros
/// for a parameter that has none.
model_weights gradients_in(const golden_case& c, const std::string& scope) {
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
std::vector<name_rule> names_of_gradients(std::span<const name_rule> names) {
  std::vector<name_rule> made(names.begin(), names.end());
  for (name_rule& rule : made)
    if (rule.how.is(naming::transform::kind::raised)) rule.how = {};
  return made;
}

void check_gradient(const golden_case& c, const std::string& name, const std::vector<double>& found,
                    const golden_tensor& reference) {
  INFO("gradient of " << name);
  REQUIRE(found.size() == reference.values.size());
  const distance d = distance_of(found, reference, c.rtol("grad."), c.atol("grad."));
  INFO("element " << d.worst << " is " << found[d.worst] << ", expected " << reference.values[d.worst]);
  CHECK(d.share <= 1);
}

} // namespace

namespace detail {

compile_options fitting(const graph_view& g, const named_values& inputs) {
  compile_options options;
  std::vector<std::string> seen;
  for (const named_value& input : g.inputs)
    for (int axis = 0; axis < g.at(input.node).shape.rank; ++axis) {
      const int d = g.at(input.node).shape[axis];
      if (!g.dim_of(d).is_symbol()) continue;
      sentence label;
      label << g.dim_of(d);
      if (std::find(seen.begin(), seen.end(), label.text) != seen.end()) continue;
      seen.emplace_back(label.text);
      const std::size_t size = inputs.at(input.name).shape[static_cast<std::size_t>(axis)];
      options.capacity.push_back({g.dim_of(d), static_cast<std::int64_t>(size)});
    }
  return options;
}

void check_own_outputs(const graph_view& g, const golden_case& c, const named_values& found) {
  for (const named_value& out : g.outputs) {
    const std::string name = out.name;
    const golden_tensor& values = found.at(name);
    test::check(c, name == "loss" ? name : "output." + name, std::span<const double>(values.values),
                values.shape);
  }
}

case_gradients::case_gradients(const graph_view& g, const golden_case& c, std::span<const name_rule> names,
                               const std::string& scope)
    : g_(g), c_(c), of_parameters_(gradients_in(c, scope)), names_(names_of_gradients(names)),
      expected_(g, of_parameters_, names_) {}

void case_gradients::add_zeros(named_values& inputs) const {
  if (has_output(g_, "loss")) return;
  for (const named_value& out : g_.outputs) {
    const std::string name = std::string("d_") + out.name;
    if (inputs.contains(name)) continue;
    const golden_tensor& like = c_.at(std::string("output.") + out.name);
    inputs[name] = {like.shape, std::vector<double>(like.values.size()), false};
  }
}

void case_gradients::check(const named_values& found) const {
  check_own_outputs(g_, c_, found);
  for (std::size_t p = 0; p < g_.parameters.size(); ++p) {
    golden_tensor reference;
    for (int i = expected_.first(static_cast<int>(p)); i < expected_.first(static_cast<int>(p) + 1); ++i) {
      const weight_view& layer = expected_.values()[static_cast<std::size_t>(i)];
      reference.values.insert(reference.values.end(), layer.data, layer.data + layer.size);
    }
    const std::string name = g_.parameter_name(static_cast<int>(p)).text;
    const auto made = found.find("grad." + name);
    check_gradient(c_, name,
                   made == found.end() ? std::vector<double>(reference.values.size()) : made->second.values,
                   reference);
  }
  for (const named_value& input : g_.inputs) {
    const std::string name = std::string("grad.input.") + input.name;
    if (c_.has(name) && found.contains(name))
      check_gradient(c_, input.name, found.at(name).values, c_.at(name));
  }
}

} // namespace detail

bool has_gradients(const graph_view& g, const golden_case& c) {
  const auto begins = [&](const char* prefix) {
    const auto first = c.tensors().lower_bound(prefix);
    return first != c.tensors().end() && first->first.starts_with(prefix);
  };
  if (!begins("grad.")) return false;
  INFO("the gradients of a case with a loss of its own are those of a model with that loss");
  REQUIRE((begins("input.d_") || has_output(g, "loss")));
  return true;
}

} // namespace fovea::core::test
