#include <fovea/weights/safetensors.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/byte_cursor.hpp>
#include <fovea/weights/temporary_file.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

namespace fovea::core {
namespace {

constexpr std::size_t data_alignment = 64;

/// A text with JSON's quotation marks.
std::string json_text(const std::string& text, const std::filesystem::path& path) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw error(path.string() + ": expected names and metadata in UTF-8; found " + in_quotes(text));
  }
}

} // namespace

void save_safetensors(const file_path& path, const std::map<std::string, stored_tensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  // As text at once: an object of the JSON library asks for memory where it is destroyed.
  std::string text = "{";
  const auto add = [&](const std::string& name, const std::string& value) {
    text += (text.size() > 1 ? "," : "") + json_text(name, path) + ":" + value;
  };
  if (!metadata.empty()) {
    std::string members;
    for (const auto& [key, value] : metadata)
      members += (members.empty() ? "{" : ",") + json_text(key, path) + ":" + json_text(value, path);
    add("__metadata__", members + "}");
  }
  // Wide elements first: then every tensor is aligned to its element though the format allows no padding.
  std::vector<std::pair<std::string, stored_tensor>> order(tensors.begin(), tensors.end());
  std::ranges::sort(order, [](const auto& one, const auto& other) {
    return std::pair(block_bytes(other.second.type), std::string_view(one.first)) <
           std::pair(block_bytes(one.second.type), std::string_view(other.first));
  });
  std::size_t end = 0;
  for (const auto& [name, tensor] : order) {
    if (block_length(tensor.type) > 1)
      throw error(path.string() + ": tensor " + in_quotes(name) + ": a safetensors file has no type " +
                  std::string(element_name(tensor.type)));
    const auto expected = tensor_bytes(tensor.type, tensor.shape);
    if (expected != tensor.bytes.size())
      throw error(path.string() + ": tensor " + in_quotes(name) + " of shape " + shape_text(tensor.shape) +
                  " expects " + (expected ? std::to_string(*expected) : too_many_bytes) + " bytes; found " +
                  std::to_string(tensor.bytes.size()));
    std::string shape;
    for (const std::size_t axis : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(axis);
    const std::size_t begin = end;
    end += tensor.bytes.size();
    add(name, R"({"dtype":")" + std::string(element_name(tensor.type)) + R"(","shape":[)" + shape +
                  R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(end) + "]}");
  }
  text += '}';
  text.append((data_alignment - (sizeof(std::uint64_t) + text.size()) % data_alignment) % data_alignment,
              ' ');
  std::string length;
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i)
    length += static_cast<char>((std::uint64_t{text.size()} >> (8 * i)) & 0xff);

  temporary_file file(path);
  file.write(std::as_bytes(std::span(length)));
  file.write(std::as_bytes(std::span(text)));
  for (const auto& [name, tensor] : order) file.write(tensor.bytes);
  file.commit();
}

} // namespace fovea::core
