#include <fovea/runtime/weights/rounded.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fovea/runtime/weights/from_floats.hpp>
#include <fovea/runtime/weights/to_floats.hpp>

namespace fovea::detail {

weights rounded(graph_view declared, const weights& source, std::span<const name_rule> names,
                weight_format format) {
  const model_parameters parameters(declared, source, names, formatted(declared, format));
  const element_type type = element_of(format);
  std::vector<std::byte> stored;
  std::vector<float> row;
  std::map<std::string, weight_tensor> made;
  for (std::size_t i = 0; i < parameters.names().size(); ++i) {
    const std::vector<std::size_t>& shape = parameters.shape(i);
    const std::span values(parameters.floats(i), parameters.values()[i].size);
    weight_tensor tensor{shape, {values.begin(), values.end()}};
    if (parameters.format(i) != weight_format::f32) {
      const std::size_t width = shape.back(), unit = block_length(type), blocks = (width + unit - 1) / unit;
      stored.resize(blocks * block_bytes(type));
      row.resize(blocks * unit);
      for (std::size_t at = 0; at < tensor.values.size(); at += width) {
        from_floats(type, {tensor.values.data() + at, width}, stored.data());
        to_floats(type, stored, row.data());
        std::copy_n(row.begin(), width, tensor.values.data() + at);
      }
    }
    made.emplace(parameters.names()[i], std::move(tensor));
  }
  return weights::from(std::move(made), source.source());
}

} // namespace fovea::detail
