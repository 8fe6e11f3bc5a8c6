#include <fovea/runtime/tokenizers/packed_tokenizer.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/runtime/tokenizers/tokenizer_tables.hpp>
#include <fovea/weights/packed_weights.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace fovea::core {
namespace {

/// The elements of a table as a file has them.
template <typename T>
std::span<const T> elements_of(const stored_tensor& tensor, const std::string& name) {
  static_assert(std::is_floating_point_v<T> || std::has_unique_object_representations_v<T>); // no gaps
  const auto at = reinterpret_cast<std::uintptr_t>(tensor.bytes.data());
  if (tensor.bytes.size() % sizeof(T) != 0 || at % alignof(T) != 0)
    throw error("tensor " + in_quotes(name) + ": expected whole elements of " + std::to_string(sizeof(T)) +
                " bytes, aligned to " + std::to_string(alignof(T)) + "; found " +
                std::to_string(tensor.bytes.size()) + " bytes");
  return {reinterpret_cast<const T*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(T)};
}

} // namespace

bool has_packed_tokenizer(const gguf_metadata& keys) { return keys.contains(packed_keys::tokenizer); }

tokenizer packed_tokenizer_in(const gguf_file& file, std::shared_ptr<const mapped_file> held) try {
  if (!packed_layout_of(file.metadata().as_texts()))
    throw error("expected a key '" + std::string(packed_keys::version) + "'; found none");
  tokenizer_tables tables{.holder = std::move(held)};
  tables.for_each([&]<typename T>(const char* name, std::span<const T>& table) {
    const auto found =
        std::ranges::find_if(file.tensors(), [&](const auto& one) { return one.first == name; });
    if (found != file.tensors().end()) table = elements_of<T>(found->second, name);
  });
  return parse_tokenizer(file.metadata().text(packed_keys::tokenizer).value(), tables);
} catch (const error& reason) {
  throw error(file.metadata().source() + ": the packed tokenizer: " + reason.what());
}

} // namespace fovea::core
