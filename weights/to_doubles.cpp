#include <fovea/weights/to_doubles.hpp>

#include <fovea/weights/to_floats.hpp>

#include <cstdint>
#include <cstring>
#include <span>

namespace fovea::core {
namespace {

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

} // namespace

std::vector<double> to_doubles(const stored_tensor& from) {
  switch (from.type) {
    case element_type::f64:
      return values_of<double>(from.bytes);
    case element_type::i64:
      return values_of<std::int64_t>(from.bytes);
    case element_type::i32:
      return values_of<std::int32_t>(from.bytes);
    case element_type::i16:
      return values_of<std::int16_t>(from.bytes);
    case element_type::i8:
      return values_of<std::int8_t>(from.bytes);
    case element_type::u8:
    case element_type::boolean:
      return values_of<std::uint8_t>(from.bytes);
    default: {
      std::vector<float> floats(count_of(from));
      to_floats(from.type, from.bytes, floats.data());
      return {floats.begin(), floats.end()};
    }
  }
}

} // namespace fovea::core
