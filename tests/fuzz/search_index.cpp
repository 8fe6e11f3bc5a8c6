#include "fuzzed.hpp"

#include "../../examples/semantic_search/text_index.hpp"

#include <fovea/weights/safetensors.hpp>

#include <cstring>
#include <optional>
#include <string>

namespace fovea::core::fuzz {
namespace {

/// The same index with the checksum of its own tensors, which chance does not hit: what is read behind the
/// checksum is reached by it alone. None where the file has no place for it.
std::optional<std::string> with_its_checksum(const std::filesystem::path& path, std::string_view bytes) try {
  const safetensors_file file(path);
  constexpr std::size_t length_bytes = 8; // of the header's length, in front of it
  const std::string_view before = R"("checksum":")";
  const std::size_t begin = bytes.find(before) + before.size(), end = bytes.find('"', begin);
  if (bytes.find(before) == bytes.npos || end == bytes.npos) return std::nullopt;
  const std::string right = semantic_search::checksum(file.tensors());
  std::string mended(bytes);
  mended.replace(begin, end - begin, right);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), length_bytes);
  length += right.size() - (end - begin);
  std::memcpy(mended.data(), &length, length_bytes);
  return mended;
} catch (const error&) {
  return std::nullopt;
}

} // namespace

void run(std::string_view input) {
  static const input_file file("index.safetensors");
  const auto& path = file.holding(input);
  attempt([&] { semantic_search::load_index(path); });
  if (const auto mended = with_its_checksum(path, input))
    attempt([&] { semantic_search::load_index(file.holding(*mended)); });
}

} // namespace fovea::core::fuzz
