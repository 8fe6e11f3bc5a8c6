#include <fovea/runtime/parameters.hpp>

namespace fovea {

model_parameters::model_parameters(graph_view graph, weights source, std::span<const name_rule> names)
    : source_(std::move(source)) {
  std::vector<wanted_parameter> wanted;
  for (std::size_t p = 0; p < graph.parameters.size(); ++p) {
    const node& n = graph.at(graph.parameters[p].node);
    std::vector<std::size_t> shape;
    for (int axis = 0; axis < n.shape.rank; ++axis)
      shape.push_back(static_cast<std::size_t>(graph.number(n.shape[axis])));
    first_.push_back(static_cast<std::int32_t>(wanted.size()));
    for (std::int64_t layer = 0; layer < graph.layers(graph.parameters[p].node); ++layer) {
      names_.emplace_back(graph.parameter_name(static_cast<int>(p), layer).text);
      wanted.push_back({names_.back(), shape});
    }
  }
  values_ = source_.resolve(wanted, names);
}

} // namespace fovea
