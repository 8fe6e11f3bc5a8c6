#include "model_case.hpp"

namespace fovea::core::test {

std::map<std::string, weight_tensor> parameters_of(const golden_case& c) {
  std::map<std::string, weight_tensor> made;
  const auto add = [&](const std::string& name, const golden_tensor& from) {
    made[name] = {from.shape, std::vector<float>(from.values.begin(), from.values.end())};
  };
  if (c.metadata().contains("parameters"))
    for (const auto& [name, shape] : c.metadata().at("parameters").items())
      add(name, formula_tensor(name, shape.get<std::vector<std::size_t>>()));
  const std::string prefix = "param.";
  for (const auto& [name, tensor] : c.tensors())
    if (name.starts_with(prefix)) add(name.substr(prefix.size()), tensor);
  return made;
}

model_weights weights_of(const golden_case& c) { return model_weights::from(parameters_of(c), c.name()); }

void for_parameters(const graph_view& g,
                    const std::function<void(const std::string&, const std::vector<std::size_t>&)>& f) {
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    const int id = g.parameters[p].node;
    std::vector<std::size_t> shape;
    for (int axis = 0; axis < g.at(id).shape.rank; ++axis)
      shape.push_back(static_cast<std::size_t>(g.number(g.at(id).shape[axis])));
    for (std::int64_t layer = 0; layer < g.layers(id); ++layer)
      f(std::string(g.parameter_name(static_cast<int>(p), layer).text), shape);
  }
}

model_weights formula_weights(const graph_view& g) {
  std::map<std::string, weight_tensor> made;
  for_parameters(g, [&](const std::string& name, const std::vector<std::size_t>& shape) {
    const golden_tensor tensor = formula_tensor(name, shape);
    made[name] = {shape, std::vector<float>(tensor.values.begin(), tensor.values.end())};
  });
  return model_weights::from(std::move(made));
}

} // namespace fovea::core::test
