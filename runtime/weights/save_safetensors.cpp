#include <fovea/runtime/weights/safetensors.hpp>

#include <fovea/runtime/error.hpp>
#include <fovea/runtime/weights/temporary_file.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace fovea {
namespace {

constexpr std::size_t data_alignment = 64;

} // namespace

void save_safetensors(const std::filesystem::path& path, const std::map<std::string, stored_tensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  // Wide elements first: then every tensor is aligned to its element though the format allows no padding.
  std::vector<std::pair<std::string, stored_tensor>> order(tensors.begin(), tensors.end());
  std::ranges::sort(order, [](const auto& one, const auto& other) {
    return std::pair(block_bytes(other.second.type), std::string_view(one.first)) <
           std::pair(block_bytes(one.second.type), std::string_view(other.first));
  });
  std::size_t end = 0;
  for (const auto& [name, tensor] : order) {
    if (block_length(tensor.type) > 1)
      throw error(path.string() + ": tensor '" + name + "': a safetensors file has no type " +
                  std::string(element_name(tensor.type)));
    const auto expected = tensor_bytes(tensor.type, tensor.shape);
    if (expected != tensor.bytes.size())
      throw error(path.string() + ": tensor '" + name + "' of shape " + shape_text(tensor.shape) +
                  " expects " + (expected ? std::to_string(*expected) : "more than 2^64") + " bytes; found " +
                  std::to_string(tensor.bytes.size()));
    header[name] = {{"dtype", element_name(tensor.type)},
                    {"shape", tensor.shape},
                    {"data_offsets", {end, end + tensor.bytes.size()}}};
    end += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.append((data_alignment - (sizeof(std::uint64_t) + text.size()) % data_alignment) % data_alignment,
              ' ');
  std::string length;
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i)
    length += static_cast<char>((text.size() >> (8 * i)) & 0xff);

  temporary_file file(path);
  file.write(std::as_bytes(std::span(length)));
  file.write(std::as_bytes(std::span(text)));
  for (const auto& [name, tensor] : order) file.write(tensor.bytes);
  file.commit();
}

} // namespace fovea
