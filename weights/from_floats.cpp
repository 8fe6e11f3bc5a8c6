#include <fovea/weights/from_floats.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/half.hpp>
#include <fovea/weights/to_floats.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace fovea::core {
namespace {

constexpr float largest_half = 65504;
constexpr std::size_t block_elements = 32;
using block_values = std::array<float, block_elements>;

template <class narrow>
void write_all(std::span<const float> values, std::byte* to, narrow f) {
  for (const float value : values) {
    const std::uint16_t bits = f(value);
    std::memcpy(to, &bits, sizeof bits);
    to += sizeof bits;
  }
}

/// A block as whole numbers of one scale.
struct stepped {
  std::uint16_t scale = 0;
  std::array<float, block_elements> steps{};
  bool exact = false;

  stepped() = default;
  /// Rounds to the nearest of lowest ... highest scales, a scale being near `wanted`.
  stepped(const block_values& values, float wanted, float lowest, float highest) : scale(to_half(wanted)) {
    constexpr float whole = 0x1.8p23f; // a float of this size has no fraction
    const float rounded = from_half(scale);
    if (rounded == 0) return;
    bool same = true;
    for (std::size_t i = 0; i < block_elements; ++i) {
      const float step = std::clamp(values[i] / rounded, lowest, highest) + whole - whole;
      steps[i] = step;
      same &= step * rounded == values[i];
    }
    exact = same;
  }
};

/// Whether all values have few enough digits to be a float16 times a whole number of eight bits.
bool may_be_steps(const block_values& values) {
  std::uint32_t digits = 0;
  for (const float value : values) digits |= std::bit_cast<std::uint32_t>(value);
  return (digits & 0x3f) == 0;
}

/// As lowest ... highest scales, of which the value of largest magnitude is -8 or, in eight bits, 127 either
/// way.
stepped to_steps(const block_values& values, float lowest, float highest) {
  float greatest = 0;
  for (const float value : values)
    if (std::abs(value) > std::abs(greatest)) greatest = value;
  const float wanted = lowest == -8 ? greatest / lowest : std::abs(greatest) / highest;
  const stepped nearest(values, wanted, lowest, highest);
  if (greatest == 0 || nearest.exact || !may_be_steps(values)) return nearest;
  // Where another program chose the scale: it divides the largest value too.
  for (float count = lowest; count <= highest; ++count) {
    const float scale = greatest / count;
    if (count == 0 || std::abs(scale) > largest_half || from_half(to_half(scale)) != scale) continue;
    const stepped other(values, scale, lowest, highest);
    if (other.exact) return other;
  }
  return nearest;
}

/// f(values, to) for each block of `bytes`.
template <class write>
void for_blocks(std::span<const float> values, std::byte* to, std::size_t bytes, write f) {
  for (std::size_t at = 0; at < values.size(); at += block_elements, to += bytes) {
    block_values block{};
    const auto given = values.subspan(at, std::min(block_elements, values.size() - at));
    std::ranges::copy(given, block.begin());
    f(block, to);
  }
}

void write_q8_0(const block_values& values, std::byte* to) {
  const stepped made = to_steps(values, -128, 127);
  std::memcpy(to, &made.scale, sizeof made.scale);
  for (std::size_t i = 0; i < block_elements; ++i)
    to[sizeof made.scale + i] = static_cast<std::byte>(static_cast<std::int8_t>(made.steps[i]));
}

void write_q4_0(const block_values& values, std::byte* to) {
  const stepped made = to_steps(values, -8, 7);
  std::memcpy(to, &made.scale, sizeof made.scale);
  constexpr std::size_t half = block_elements / 2;
  for (std::size_t i = 0; i < half; ++i)
    to[sizeof made.scale + i] = static_cast<std::byte>((static_cast<int>(made.steps[i]) + 8) |
                                                       (static_cast<int>(made.steps[i + half]) + 8) << 4);
}

[[noreturn]] void refuse(element_type type) {
  throw error("expected F16, BF16, Q8_0 or Q4_0 to write; found " + std::string(element_name(type)));
}

} // namespace

std::optional<element_type> element_of(weight_format format) {
  switch (format) {
    case weight_format::int8:
    case weight_format::integer_int8:
      return std::nullopt;
    case weight_format::f32:
      return element_type::f32;
    case weight_format::f16:
      return element_type::f16;
    case weight_format::bf16:
    case weight_format::rounded_bf16:
      return element_type::bf16;
    case weight_format::q8_0:
    case weight_format::integer_q8_0:
      return element_type::q8_0;
    case weight_format::q4_0:
    case weight_format::integer_q4_0:
      return element_type::q4_0;
  }
  return element_type::f32;
}

float largest_value(element_type type) {
  switch (type) {
    case element_type::f16:
      return largest_half;
    case element_type::bf16:
      return std::bit_cast<float>(0x7f7f0000u);
    case element_type::q8_0:
      return 127 * largest_half;
    case element_type::q4_0:
      return 8 * largest_half;
    default:
      refuse(type);
  }
}

float to_int8(std::span<const float> row, std::int8_t* to) {
  constexpr float most = 127, whole = 0x1.8p23f; // a float of this size has no fraction
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::abs(value));
  const float scale = largest / most;
  for (const float value : row)
    *to++ = static_cast<std::int8_t>(scale == 0 ? 0 : std::clamp(value / scale, -most, most) + whole - whole);
  return scale;
}

void from_floats(element_type type, std::span<const float> values, std::byte* to) {
  switch (type) {
    case element_type::f16:
      return write_all(values, to, to_half);
    case element_type::bf16:
      return write_all(values, to, to_bfloat);
    case element_type::q8_0:
      return for_blocks(values, to, block_bytes(type), write_q8_0);
    case element_type::q4_0:
      return for_blocks(values, to, block_bytes(type), write_q4_0);
    default:
      refuse(type);
  }
}

void round_rows(weight_format format, std::size_t width, std::span<float> rows) {
  const auto for_rows = [&](const auto& f) {
    for (std::size_t at = 0; at < rows.size(); at += width) f(rows.subspan(at, width));
  };
  if (format == weight_format::f32) return;
  if (const std::optional<element_type> type = element_of(format)) {
    const std::size_t unit = block_length(*type), blocks = (width + unit - 1) / unit;
    std::vector<std::byte> stored(blocks * block_bytes(*type));
    std::vector<float> row(blocks * unit);
    for_rows([&](std::span<float> values) {
      from_floats(*type, values, stored.data());
      to_floats(*type, stored, row.data());
      std::copy_n(row.begin(), width, values.begin());
    });
    return;
  }
  std::vector<std::int8_t> numbers(width);
  for_rows([&](std::span<float> values) {
    const float scale = to_int8(values, numbers.data());
    std::ranges::transform(numbers, values.begin(),
                           [=](std::int8_t x) { return scale * static_cast<float>(x); });
  });
}

} // namespace fovea::core
