#include "numbers.hpp"

#include <fovea/weights/safetensors.hpp>
#include <fovea/weights/to_floats.hpp>

#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <utility>

namespace tool {
namespace {

using fovea::element_type;

template <class stored>
std::vector<double> values_of(std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / sizeof(stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    stored x;
    std::memcpy(&x, bytes.data() + i * sizeof(stored), sizeof(stored));
    values[i] = static_cast<double>(x);
  }
  return values;
}

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
  const auto made = [&](std::vector<double> values, bool whole) {
    return numbers{
        from.shape, std::move(values), whole, std::string(fovea::core::element_name(from.type)), {}};
  };
  switch (from.type) {
    case element_type::f64:
      return made(values_of<double>(from.bytes), false);
    case element_type::i64:
      return made(values_of<std::int64_t>(from.bytes), true);
    case element_type::i32:
      return made(values_of<std::int32_t>(from.bytes), true);
    case element_type::i16:
      return made(values_of<std::int16_t>(from.bytes), true);
    case element_type::i8:
      return made(values_of<std::int8_t>(from.bytes), true);
    case element_type::u8:
    case element_type::boolean:
      return made(values_of<std::uint8_t>(from.bytes), true);
    default: {
      std::vector<float> floats(fovea::core::count_of(from));
      fovea::core::to_floats(from.type, from.bytes, floats.data());
      return made({floats.begin(), floats.end()}, false);
    }
  }
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
