#include <fovea/backends/reference/reference.hpp>

#include <utility>

#include <fovea/backends/reference/evaluation.hpp>
#include <fovea/base/error.hpp>
#include <fovea/weights/rounded_products.hpp>

namespace fovea::core {

reference_program::reference_program(graph_view graph, std::vector<std::vector<array>> parameters,
                                     bool rounds)
    : graph_(graph), parameters_(std::move(parameters)),
      rounded_(rounds ? rounded_products(graph) : std::vector<bool>()) {
  using reference_ops::shape_text;
  if (parameters_.size() != graph_.parameters.size())
    throw error("parameters: expected " + std::to_string(graph_.parameters.size()) + ", found " +
                std::to_string(parameters_.size()));
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const int declared = graph_.parameters[p].node;
    const sentence name = graph_.parameter_name(static_cast<int>(p));
    const auto layers = static_cast<std::size_t>(graph_.layers(declared));
    if (parameters_[p].size() != layers)
      throw error(std::string("parameter \"") + name.text + "\": expected " + std::to_string(layers) +
                  " layers, found " + std::to_string(parameters_[p].size()));
    reference_ops::array_shape shape;
    for (int i = 0; i < graph_.at(declared).shape.rank; ++i)
      shape.push_back(static_cast<std::size_t>(graph_.number(graph_.at(declared).shape[i])));
    for (const array& layer : parameters_[p])
      if (reference_ops::shape_of(layer) != shape)
        throw error(std::string("parameter \"") + name.text + "\": expected " + shape_text(shape) +
                    ", found " + shape_text(layer.shape()));
  }
}

std::vector<reference_program::array> reference_program::run(const std::vector<array>& inputs,
                                                             const std::map<std::string, std::int64_t>& sizes,
                                                             random_state random) const {
  return reference_ops::evaluation(graph_, parameters_, inputs, sizes, random, rounded_).outputs();
}

} // namespace fovea::core
