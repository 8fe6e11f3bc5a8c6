#include "numbers.hpp"

#include <fovea/weights/safetensors.hpp>
#include <fovea/weights/to_doubles.hpp>
#include <fovea/weights/to_floats.hpp>

#include <cstdint>
#include <cstring>
#include <deque>

namespace tool {
namespace {

using fovea::element_type;

template <class number>
std::vector<std::byte> bytes_of(const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(number));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<number>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(number), &x, sizeof(number));
  }
  return bytes;
}

} // namespace

numbers numbers_of(const fovea::stored_tensor& from) {
  return {from.shape,
          fovea::core::to_doubles(from),
          !fovea::core::holds_reals(from.type),
          std::string(fovea::core::element_name(from.type)),
          {}};
}

void save_numbers(const std::filesystem::path& path, const std::map<std::string, numbers>& tensors) {
  std::map<std::string, fovea::stored_tensor> stored;
  std::deque<std::vector<std::byte>> bytes;
  for (const auto& [name, one] : tensors)
    stored[name] = {
        one.whole ? element_type::i64 : element_type::f32, one.shape,
        bytes.emplace_back(one.whole ? bytes_of<std::int64_t>(one.values) : bytes_of<float>(one.values))};
  fovea::save_safetensors(path, stored);
}

} // namespace tool
