#include <fovea/weights/save_packed.hpp>

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fovea/base/threads.hpp>
#include <fovea/weights/filter_rows.hpp>
#include <fovea/weights/format_panels.hpp>
#include <fovea/weights/formatted.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/packed_weights.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core {
namespace {

/// The same weights in panels of so many columns.
packed in_panels_of(std::size_t panel, const panels_view& weights, const panels_view& to) {
  packed made((to.bytes() + sizeof(float) - 1) / sizeof(float));
  write_panels(weights, panel, 0, (weights.columns + panel - 1) / panel,
               reinterpret_cast<std::byte*>(made.data()));
  return made;
}

} // namespace

gguf_metadata keys_for_packed(const file_path& from) {
  if (std::filesystem::is_directory(from)) return {};
  const auto file = std::make_shared<const mapped_file>(from);
  return is_gguf(file->bytes()) ? gguf_file(from, file).metadata() : gguf_metadata();
}

void save_packed(const file_path& path, const graph_view& declared, const model_weights& source,
                 std::span<const name_rule> names, weight_format format, const panel_set& set,
                 gguf_metadata keys, std::map<std::string, stored_tensor> beside) {
  const formatted_parameters in_panels = formatted(declared, format);
  const model_parameters parameters(declared, source, names, in_panels);
  thread_pool pool(usable_processors());
  std::map<std::string, stored_tensor> tensors = std::move(beside);
  std::deque<packed> made;
  for (std::size_t i = 0; i < parameters.names().size(); ++i) {
    const std::string& name = parameters.names()[i];
    const std::vector<std::size_t>& shape = parameters.shape(i);
    stored_tensor tensor{element_type::f32, {parameters.values()[i].size}, {}};
    if (in_panels.names.contains(name)) {
      const weight_matrix of(shape);
      const panels_view lie{nullptr, parameters.format(i), set.panel, of.rows, of.depth()};
      std::vector<float> of_filters;
      const weight_view values = rows_of(of, parameters.values()[i], of_filters);
      made.push_back(values.panels.data != nullptr ? in_panels_of(set.panel, values.panels, lie)
                                                   : in_format_panels(lie.format, values, lie.columns,
                                                                      lie.depth, set.panel, pool, name));
      tensor = {element_type::i8,
                {lie.bytes()},
                {reinterpret_cast<const std::byte*>(made.back().data()), lie.bytes()}};
    } else {
      tensor.bytes = std::as_bytes(std::span(parameters.floats(i), parameters.values()[i].size));
    }
    tensors.emplace(packed_name(name, shape), std::move(tensor));
  }
  keys.set("general.alignment", packed_keys::alignment);
  keys.set(packed_keys::version, packed_keys::newest);
  keys.set(packed_keys::format, name_of(format));
  keys.set(packed_keys::panel, static_cast<std::uint32_t>(set.panel));
  keys.set(packed_keys::set, set.name);
  save_gguf(path, tensors, keys);
}

} // namespace fovea::core
