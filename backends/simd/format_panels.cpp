#include <fovea/backends/simd/format_panels.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <fovea/backends/simd/kernels/weight_panel.hpp>
#include <fovea/base/error.hpp>
#include <fovea/base/number_text.hpp>
#include <fovea/weights/from_floats.hpp>

namespace fovea::core::simd {
namespace {

/// A column's weights, all of one scale.
template <class layout>
void put_scaled(std::span<const float> weights, std::byte* panel, size_t packed, size_t column) {
  std::vector<std::int8_t> numbers(weights.size());
  const float scale = to_int8(weights, numbers.data());
  std::memcpy(panel + column * sizeof scale, &scale, sizeof scale);
  for (size_t k = 0; k < numbers.size(); ++k)
    panel[layout::place(packed, k, column)] = static_cast<std::byte>(numbers[k]);
}

void check_range(weight_format format, std::span<const float> weights, const std::string& name) {
  const auto type = element_of(format);
  if (!type) return; // a scale for any
  const float largest = largest_value(*type);
  for (const float x : weights)
    if (std::abs(x) > largest)
      throw error("parameter " + name + ": expected values up to " + number_text(largest) + " for " +
                  name_of(format) + ", found " + number_text(x));
}

} // namespace

packed in_format_panels(weight_format format, const weight_view& weights, size_t columns, size_t depth,
                        const kernel_table& kernels, thread_pool& pool, const std::string& name) {
  if (weights.stored.empty()) check_range(format, {weights.data, weights.size}, name);
  const size_t most = most_rounded_depth / (sums_integers(format) ? 1 : 2);
  if (rounds_rows(format) && depth > most)
    throw error("parameter " + name + ": expected at most " + std::to_string(most) + " inputs for " +
                name_of(format) + ", found " + std::to_string(depth));
  const size_t panels = (columns + kernels.set.panel - 1) / kernels.set.panel,
               bytes = panel_bytes(format, kernels.set.panel, depth);
  packed made((panels * bytes + sizeof(float) - 1) / sizeof(float));
  auto* const all = reinterpret_cast<std::byte*>(made.data());
  const auto pack = [&](auto layout, size_t p) {
    std::byte* panel = all + p * bytes;
    std::memset(panel, 0, bytes);
    std::array<std::byte, weight_group * sizeof(float)> stored;
    for (size_t j = 0; j < std::min(kernels.set.panel, columns - p * kernels.set.panel); ++j) {
      const size_t row = (p * kernels.set.panel + j) * depth;
      if constexpr (layout.scaled_by_row) {
        put_scaled<decltype(layout)>({weights.data + row, depth}, panel, kernels.set.panel, j);
        continue;
      }
      const element_type type = *element_of(format);
      for (size_t k = 0; k < depth; k += weight_group) {
        const size_t count = std::min<size_t>(weight_group, depth - k);
        const std::byte* from = stored.data();
        if (weights.stored.empty())
          from_floats(type, {weights.data + row + k, count}, stored.data());
        else
          from = weights.stored.data() + (row + k) / block_length(type) * block_bytes(type);
        detail::put_group<layout.of>(from, panel, kernels.set.panel, j, k, count);
      }
    }
  };
  pool.run(panels, [&](size_t first, size_t last, size_t) {
    for (size_t p = first; p < last; ++p) with_format(format, [&](auto layout) { pack(layout, p); });
  });
  return made;
}

} // namespace fovea::core::simd
