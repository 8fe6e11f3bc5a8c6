#include <fovea/weights/from_floats.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/half.hpp>
#include <fovea/weights/blocks.hpp>
#include <fovea/weights/to_floats.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
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
  gguf_blocks::whole_numbers steps{};
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
      steps[i] = static_cast<int>(step);
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

/// As whole numbers of a block.
template <class block>
stepped to_steps(const block_values& values) {
  constexpr float lowest = block::lowest, highest = block::highest, most = block::greatest;
  float greatest = 0;
  for (const float value : values)
    if (std::abs(value) > std::abs(greatest)) greatest = value;
  const float wanted = most < 0 ? greatest / most : std::abs(greatest) / most;
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

template <gguf_blocks::is_written block>
block made_of(const std::array<float, block::length>& values) {
  if constexpr (gguf_blocks::has_steps<block>) {
    const stepped made = to_steps<block>(values);
    return block::of(made.scale, made.steps);
  } else {
    return block::of(values);
  }
}

template <gguf_blocks::is_written block>
void write_blocks(std::span<const float> values, std::byte* to) {
  for (std::size_t at = 0; at < values.size(); at += block::length, to += sizeof(block)) {
    std::array<float, block::length> some{};
    std::ranges::copy(values.subspan(at, std::min(block::length, values.size() - at)), some.begin());
    const block one = made_of<block>(some);
    std::memcpy(to, &one, sizeof one);
  }
}

/// Of a type that has blocks, K blocks among them or not.
template <bool k_blocks>
void write_blocks_of(element_type type, std::span<const float> values, std::byte* to) {
  gguf_blocks::all::find(type, [&]<class block>(block) {
    if constexpr (gguf_blocks::has_steps<block> || (k_blocks && gguf_blocks::is_written<block>))
      write_blocks<block>(values, to);
  });
}

[[noreturn]] void refuse(element_type type) {
  std::vector<std::string_view> names;
  for (const format_traits& each : all_formats::traits)
    if (is_written(each.stored) && !each.rounds_rows) names.push_back(element_name(each.stored));
  std::string text = "expected ";
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 < names.size() ? ", " : " or ").append(names[i]);
  throw error(text + " to write; found " + std::string(element_name(type)));
}

} // namespace

bool is_written(element_type type) {
  return type != element_type::f32 &&
         std::ranges::any_of(all_formats::traits, [=](const format_traits& each) {
           return each.in_files() && each.stored == type;
         });
}

float largest_value(element_type type) {
  if (type == element_type::f16) return largest_half;
  if (type == element_type::bf16) return std::bit_cast<float>(0x7f7f0000u);
  float largest = 0;
  gguf_blocks::all::find(type, [&]<class block>(block) {
    if constexpr (gguf_blocks::has_steps<block>)
      largest = largest_half * static_cast<float>(std::abs(block::greatest));
    else if constexpr (gguf_blocks::is_written<block>)
      largest = block::largest;
  });
  if (largest == 0) refuse(type);
  return largest;
}

float int8_scale(std::span<const float> row) {
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::abs(value));
  return largest / 127;
}

void from_floats_but_k(element_type type, std::span<const float> values, std::byte* to) {
  if (type == element_type::f16) return write_all(values, to, to_half);
  if (type == element_type::bf16) return write_all(values, to, to_bfloat);
  if (!is_written(type)) refuse(type);
  write_blocks_of<false>(type, values, to);
}

void from_floats(element_type type, std::span<const float> values, std::byte* to) {
  if (block_length(type) > block_elements && is_written(type)) return write_blocks_of<true>(type, values, to);
  from_floats_but_k(type, values, to);
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
  for_rows([](std::span<float> values) {
    const float scale = int8_scale(values);
    for (float& x : values) x = scale * static_cast<float>(to_int8(x, scale));
  });
}

} // namespace fovea::core
