#include "weights_in_memory.hpp"

#include <fovea/weights/weight_format.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace tool {
namespace {

using fovea::core::weight_format;

/// The format that keeps values of a file's type as they are; f32 where none does.
weight_format format_of(fovea::element_type stored) {
  const auto& all = fovea::core::all_formats::traits;
  const auto found = std::ranges::find_if(
      all, [&](const auto& one) { return one.stored == stored && one.in_files() && !one.rounds_rows; });
  return found == std::end(all) ? weight_format::f32 : weight_format(found - std::begin(all));
}

bool is_matrix(const fovea::stored_tensor& tensor) { return tensor.shape.size() >= 2; }

weight_format most_used(const checkpoint& from) {
  std::map<weight_format, std::size_t> bytes;
  for (const auto& [name, tensor] : from.tensors)
    if (is_matrix(tensor)) bytes[format_of(tensor.type)] += tensor.bytes.size();
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& one) { return one.second; });
  return most == bytes.end() ? weight_format::f32 : most->first;
}

} // namespace

weights_in_memory::weights_in_memory(const checkpoint& from) : format(most_used(from)) {
  for (const auto& [name, tensor] : from.tensors) {
    const bool stays = is_matrix(tensor) && format_of(tensor.type) != weight_format::f32 &&
                       format_of(tensor.type) == fovea::core::format_beside(format, tensor.type);
    const std::size_t values = std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{1},
                                               std::multiplies<std::size_t>());
    bytes += stays ? tensor.bytes.size() : values * sizeof(float);
  }
}

} // namespace tool
