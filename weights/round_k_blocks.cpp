// Values as K blocks, by llama.cpp's method: a group's scale is the one of some trials whose whole numbers, by
// weighted least squares, are nearest to the values; the scales are then rounded, and the numbers chosen anew.

#include <fovea/weights/k_blocks.hpp>

#include <algorithm>
#include <cmath>

namespace fovea::core::gguf_blocks {
namespace {

constexpr float largest_half = 65504;

float nearest(float x, float lowest, float highest) {
  constexpr float whole = 0x1.8p23f; // a float of this size has no fraction
  return std::clamp(x, lowest, highest) + whole - whole;
}

/// A float16 of a finite value.
std::uint16_t half_of(float x) { return to_half(std::clamp(x, -largest_half, largest_half)); }

/// The value farthest from 0. Of a loop that keeps the best so far clang 19 makes wrong code for WebAssembly.
float farthest(std::span<const float, 16> x) {
  return *std::ranges::max_element(x, {}, [](float value) { return std::abs(value); });
}

/// Whole numbers of 0 to 15 times a scale, less a minimum.
struct line_fit {
  static constexpr std::size_t count = 32;
  static constexpr float most = 15;
  using values = std::span<const float, count>;
  float scale = 0, minimum = 0;

  explicit line_fit(values x) {
    const auto [least, greatest] = std::ranges::minmax(x);
    minimum = -std::min(least, 0.f);
    if (greatest + minimum == 0) return;
    float squares = 0;
    for (const float value : x) squares += value * value;
    const float size = std::sqrt(squares / count);
    std::array<float, count> weight;
    for (std::size_t i = 0; i < count; ++i) weight[i] = size + std::abs(x[i]);

    scale = (greatest + minimum) / most;
    float best = error(x, weight, numbers(x, most / (greatest + minimum)), scale, minimum);
    for (int trial = 0; trial <= 20; ++trial) {
      const auto number = numbers(x, (most - 1 + 0.1f * static_cast<float>(trial)) / (greatest + minimum));
      float w = 0, wx = 0, wn = 0, wnn = 0, wnx = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const float of = weight[i], n = number[i];
        w += of, wx += of * x[i], wn += of * n, wnn += of * n * n, wnx += of * n * x[i];
      }
      const float determinant = w * wnn - wn * wn;
      if (!(determinant > 0)) continue;
      float other = (w * wnx - wx * wn) / determinant, least_of_it = (wnn * wx - wn * wnx) / determinant;
      if (least_of_it > 0) least_of_it = 0, other = wnx / wnn;
      if (const float found = error(x, weight, number, other, -least_of_it); found < best)
        best = found, scale = other, minimum = -least_of_it;
    }
  }

private:
  std::array<float, count> numbers(values x, float steps) const {
    std::array<float, count> made;
    for (std::size_t i = 0; i < count; ++i) made[i] = nearest(steps * (x[i] + minimum), 0, most);
    return made;
  }
  static float error(values x, const std::array<float, count>& weight, const std::array<float, count>& number,
                     float scale, float minimum) {
    float sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const float apart = scale * number[i] - minimum - x[i];
      sum += weight[i] * apart * apart;
    }
    return sum;
  }
};

/// The scale of whole numbers of -32 to 31.
float scale_of_group(std::span<const float, 16> x) {
  const float greatest = farthest(x);
  if (greatest == 0) return 0;
  float best = 0, scale = 0;
  for (int trial = -9; trial <= 9; ++trial) {
    const float steps = -(32 + 0.1f * static_cast<float>(trial));
    float nx = 0, nn = 0; // of shares of the greatest, weighted by their squares
    for (const float value : x) {
      const float share = value / greatest, n = nearest(steps * share, -32, 31), weight = share * share;
      nx += weight * n * share, nn += weight * n * n;
    }
    if (nx * nx > best * nn) best = nx * nx / nn, scale = nx / nn * greatest;
  }
  return scale;
}

} // namespace

q4_k q4_k::of(k_values values) {
  std::array<float, 8> scales, minima;
  for (std::size_t line = 0; line < 8; ++line) {
    const line_fit fit(line_fit::values(values.data() + line * 32, 32));
    scales[line] = std::max(fit.scale, 0.f), minima[line] = fit.minimum;
  }
  constexpr float most = 63;
  const float scale = std::ranges::max(scales), minimum = std::ranges::max(minima);
  q4_k made{half_of(scale / most), half_of(minimum / most), {}, {}};
  for (std::size_t line = 0; line < 8; ++line)
    made.lines.set(line, static_cast<int>(scale > 0 ? nearest(scales[line] / scale * most, 0, most) : 0),
                   static_cast<int>(minimum > 0 ? nearest(minima[line] / minimum * most, 0, most) : 0));
  for (std::size_t line = 0; line < 8; ++line) {
    const float d = from_half(made.scale) * static_cast<float>(made.lines.scale(line)),
                m = from_half(made.minimum) * static_cast<float>(made.lines.minimum(line));
    if (d == 0) continue;
    for (std::size_t i = 0; i < 32; ++i)
      made.numbers[line / 2 * 32 + i] |= static_cast<std::uint8_t>(
          static_cast<int>(nearest((values[line * 32 + i] + m) / d, 0, 15)) << line % 2 * 4);
  }
  return made;
}

q6_k q6_k::of(k_values values) {
  std::array<float, 16> scales;
  for (std::size_t group = 0; group < 16; ++group)
    scales[group] = scale_of_group(std::span<const float, 16>(values.data() + group * 16, 16));
  const float greatest = farthest(scales);
  q6_k made{{}, {}, {}, half_of(greatest / -128)};
  for (std::size_t group = 0; group < 16; ++group) {
    if (greatest != 0)
      made.groups[group] = static_cast<std::int8_t>(nearest(scales[group] * -128 / greatest, -128, 127));
    const float d = from_half(made.scale) * static_cast<float>(made.groups[group]);
    for (std::size_t at = group * 16; at < group * 16 + 16; ++at) {
      const int n = d == 0 ? 32 : static_cast<int>(nearest(values[at] / d, -32, 31)) + 32;
      const std::size_t half = at / 128, in_half = at % 128;
      made.low[half * 64 + in_half % 64] |= static_cast<std::uint8_t>((n & 15) << in_half / 64 * 4);
      made.high[half * 32 + in_half % 32] |= static_cast<std::uint8_t>(n >> 4 << in_half / 32 * 2);
    }
  }
  return made;
}

} // namespace fovea::core::gguf_blocks
