#include <fovea/weights/rounded.hpp>

#include <map>
#include <string>
#include <vector>

#include <fovea/weights/filter_rows.hpp>
#include <fovea/weights/from_floats.hpp>

namespace fovea::core::detail {

model_weights rounded_weights(graph_view declared, const model_weights& source,
                              std::span<const name_rule> names, weight_format format) {
  const model_parameters parameters(declared, source, names, formatted(declared, format));
  std::map<std::string, weight_tensor> made;
  for (std::size_t i = 0; i < parameters.names().size(); ++i) {
    const std::vector<std::size_t>& shape = parameters.shape(i);
    const std::span values(parameters.floats(i), parameters.values()[i].size);
    weight_tensor tensor{shape, {values.begin(), values.end()}};
    const weight_view& kept = parameters.values()[i];
    if (parameters.format(i) != weight_format::f32 && kept.stored.empty() && kept.panels.data == nullptr) {
      const weight_matrix of(shape);
      std::vector<float> rows = product_rows(of, tensor.values);
      round_rows(parameters.format(i), of.depth(), rows);
      tensor.values = parameter_values(of, rows);
    }
    made.emplace(parameters.names()[i], std::move(tensor));
  }
  return model_weights::from(std::move(made), source.source());
}

} // namespace fovea::core::detail
