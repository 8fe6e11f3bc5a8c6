#include <fovea/weights/save_weights.hpp>

#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fovea/base/error.hpp>
#include <fovea/weights/converted.hpp>
#include <fovea/weights/from_floats.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/name_rules.hpp>
#include <fovea/weights/safetensors.hpp>

namespace fovea::core::detail {
namespace {

using kind = naming::transform::kind;
using tensor_map = std::map<std::string, stored_tensor>;

/// Whether a model with these rules reads a parameter of a file of its own names as it is there.
bool is_read_back(const std::string& name, const tensor_map& file, std::span<const name_rule> rules) {
  for (const name_rule& rule : rules)
    if (rule.how.is(kind::optional_prefix) && name.starts_with(rule.theirs)) return false;
  for (const name_rule& rule : rules) {
    if (rule.how.is(kind::ignored) || rule.how.is(kind::tied) || rule.how.is(kind::optional_prefix)) continue;
    const auto indices = match_indices(rule.ours, name);
    if (!indices) continue;
    const std::string theirs =
        fill_indices(rule.theirs, *indices, rule.how.joins() ? std::optional<long>(0) : std::nullopt);
    if (file.contains(theirs)) return theirs == name && rule.how.count == 0;
  }
  return true;
}

} // namespace

void save_weights(const file_path& path, graph_view declared, const model_weights& source,
                  std::span<const name_rule> names, weight_format format) {
  const model_parameters parameters(declared, source, names, formatted(declared, format));
  const auto fail = [&](const std::string& name, const std::string& what) {
    throw error(path.string() + ": parameter '" + name + "': " + what);
  };
  tensor_map tensors;
  std::deque<std::vector<std::byte>> made;
  for (std::size_t i = 0; i < parameters.names().size(); ++i) {
    const std::vector<std::size_t>& shape = parameters.shape(i);
    const std::span values(parameters.floats(i), parameters.values()[i].size);
    const std::string& name = parameters.names()[i];
    stored_tensor tensor{element_type::f32, shape, std::as_bytes(values)};
    if (const weight_view& kept = parameters.values()[i]; !kept.stored.empty())
      tensor = {kept.type, shape, kept.stored};
    else if (const auto type = element_of(parameters.format(i));
             type && *type != tensor.type && whole_blocks(*type, shape) &&
             (shape.size() == 2 || block_length(*type) == 1)) { // blocks of filters run over features
      try {
        tensor = {*type, shape, made.emplace_back(converted(tensor, *type))};
      } catch (const error& reason) {
        fail(name, reason.what());
      }
    }
    tensors.emplace(name, std::move(tensor));
  }
  for (const auto& [name, tensor] : tensors)
    if (!is_read_back(name, tensors, names))
      fail(name, "the model's table of names takes this name for another's");
  if (std::filesystem::path(path).extension() == ".safetensors") return save_safetensors(path, tensors);
  save_gguf(path, tensors);
}

} // namespace fovea::core::detail
