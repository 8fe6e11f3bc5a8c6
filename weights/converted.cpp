#include <fovea/weights/converted.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/number_text.hpp>
#include <fovea/weights/blocks.hpp>
#include <fovea/weights/convert.hpp>
#include <fovea/weights/from_floats.hpp>
#include <fovea/weights/to_floats.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace fovea::core {
namespace {

/// Values that are float32 at a time: whole blocks of every type.
constexpr std::size_t part_values = std::size_t{1} << 13;

/// The bytes of the part of a tensor that begins at value `from`.
std::span<const std::byte> part_of(const stored_tensor& tensor, std::size_t from) {
  const std::size_t unit = block_length(tensor.type), bytes = block_bytes(tensor.type);
  const auto rest = tensor.bytes.subspan(from / unit * bytes);
  return rest.first(std::min(rest.size(), part_values / unit * bytes));
}

/// Calls f(values, place of the first) for one part after another.
template <class function>
void for_parts(const stored_tensor& tensor, const function& f) {
  std::vector<float> values(std::min(part_values, count_of(tensor)));
  for (std::size_t from = 0; from < count_of(tensor); from += part_values) {
    const std::size_t count = std::min(part_values, count_of(tensor) - from);
    to_floats(tensor.type, part_of(tensor, from), values.data());
    f(std::span<const float>(values).first(count), from);
  }
}

/// Where numbers of 16 bits lie in each block of types that have nothing else of floats and are read often.
std::vector<std::size_t> places_of_halves(element_type type) {
  if (type == element_type::q4_k)
    return {offsetof(gguf_blocks::q4_k, scale), offsetof(gguf_blocks::q4_k, minimum)};
  if (type == element_type::q6_k) return {offsetof(gguf_blocks::q6_k, scale)};
  const bool first =
      type == element_type::f16 || type == element_type::bf16 || (block_length(type) > 1 && is_written(type));
  return first ? std::vector<std::size_t>{0} : std::vector<std::size_t>{};
}

/// Whether values are seen to be finite by these alone, which is sooner than by floats.
bool has_finite_halves(const stored_tensor& tensor) {
  const std::uint32_t exponent = tensor.type == element_type::bf16 ? 0x7f80 : 0x7c00;
  const std::vector<std::size_t> places = places_of_halves(tensor.type);
  bool finite = !places.empty();
  for (const std::size_t place : places)
    for (std::size_t at = place; at < tensor.bytes.size(); at += block_bytes(tensor.type)) {
      std::uint16_t bits;
      std::memcpy(&bits, tensor.bytes.data() + at, sizeof bits);
      finite &= (bits & exponent) != exponent;
    }
  return finite;
}

void check_finite(std::span<const float> values, std::size_t from) {
  if (const auto bad = first_non_finite(values))
    throw error("expected finite values; found " + number_text(values[*bad]) + " at element " +
                std::to_string(from + *bad));
}

void check_range(std::span<const float> values, std::size_t from, element_type type) {
  const float largest = largest_value(type);
  const auto bad = std::ranges::find_if(values, [&](float value) { return std::abs(value) > largest; });
  if (bad != values.end())
    throw error("expected values up to " + number_text(largest) + " for " + std::string(element_name(type)) +
                "; found " + number_text(*bad) + " at element " +
                std::to_string(from + static_cast<std::size_t>(bad - values.begin())));
}

} // namespace

void check_finite(const stored_tensor& tensor) {
  if (has_finite_halves(tensor)) return;
  for_parts(tensor, [](std::span<const float> values, std::size_t from) { check_finite(values, from); });
}

std::vector<std::byte> converted(const stored_tensor& tensor, element_type type) {
  const auto size = tensor_bytes(type, tensor.shape);
  if (!size)
    throw error(std::string(element_name(type)) + " of shape " + shape_text(tensor.shape) +
                ": the last axis is no multiple of " + std::to_string(block_length(type)));
  if (type == tensor.type) {
    check_finite(tensor);
    return {tensor.bytes.begin(), tensor.bytes.end()};
  }
  std::vector<std::byte> made(*size);
  for_parts(tensor, [&](std::span<const float> values, std::size_t from) {
    check_finite(values, from);
    std::byte* const to = made.data() + from / block_length(type) * block_bytes(type);
    if (type == element_type::f32) {
      std::ranges::copy(std::as_bytes(values), to);
    } else {
      check_range(values, from, type);
      from_floats(type, values, to);
    }
  });
  return made;
}

double relative_error(const stored_tensor& before, const stored_tensor& after) {
  double apart = 0, size = 0;
  std::vector<float> others(std::min(part_values, count_of(after)));
  for_parts(before, [&](std::span<const float> values, std::size_t from) {
    to_floats(after.type, part_of(after, from), others.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i], difference = others[i] - value;
      apart += difference * difference;
      size += value * value;
    }
  });
  return size == 0 ? 0 : std::sqrt(apart / size);
}

} // namespace fovea::core
