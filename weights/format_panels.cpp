#include <fovea/weights/format_panels.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include <fovea/base/error.hpp>
#include <fovea/base/number_text.hpp>
#include <fovea/weights/from_floats.hpp>
#include <fovea/weights/panel_values.hpp>
#include <fovea/weights/rounded_depth.hpp>

namespace fovea::core {
namespace {

/// A column's weights, all of one scale.
template <class layout>
void put_scaled(std::span<const float> weights, std::byte* panel, std::size_t packed, std::size_t column) {
  const float scale = int8_scale(weights);
  std::memcpy(panel + column * sizeof scale, &scale, sizeof scale);
  for (std::size_t k = 0; k < weights.size(); ++k)
    panel[layout::place(packed, k, column)] = static_cast<std::byte>(to_int8(weights[k], scale));
}

void check_range(weight_format format, std::span<const float> weights, const std::string& name) {
  const auto type = element_of(format);
  if (!type || format == weight_format::f32) return; // a scale for any, or none
  const float largest = largest_value(*type);
  for (const float x : weights)
    if (std::abs(x) > largest)
      throw error("parameter " + name + ": expected values up to " + number_text(largest) + " for " +
                  name_of(format) + ", found " + number_text(x));
}

template <bool k_blocks>
packed in_panels(weight_format format, const weight_view& weights, std::size_t columns, std::size_t depth,
                 std::size_t panel_columns, thread_pool& pool, const std::string& name) {
  if (weights.stored.empty()) check_range(format, {weights.data, weights.size}, name);
  if (const std::string problem = depth_problem(format, depth); !problem.empty())
    throw error("parameter " + name + ": " + problem);
  const std::size_t panels = (columns + panel_columns - 1) / panel_columns,
                    bytes = panel_bytes(format, panel_columns, depth);
  packed made((panels * bytes + sizeof(float) - 1) / sizeof(float));
  auto* const all = reinterpret_cast<std::byte*>(made.data());
  const auto pack = [&](auto layout, std::size_t p) {
    std::byte* panel = all + p * bytes;
    std::memset(panel, 0, bytes);
    std::array<std::byte, layout.block * sizeof(float)> stored;
    for (std::size_t j = 0; j < std::min(panel_columns, columns - p * panel_columns); ++j) {
      const std::size_t row = (p * panel_columns + j) * depth;
      if constexpr (layout.scaled_by_row) {
        put_scaled<decltype(layout)>({weights.data + row, depth}, panel, panel_columns, j);
        continue;
      }
      const element_type type = *element_of(format);
      for (std::size_t k = 0; k < depth; k += layout.block) {
        const std::size_t count = std::min<std::size_t>(layout.block, depth - k);
        const std::byte* from = stored.data();
        if (layout.of == weight_format::f32)
          from = reinterpret_cast<const std::byte*>(weights.data + row + k);
        else if (weights.stored.empty())
          (k_blocks ? from_floats : from_floats_but_k)(type, {weights.data + row + k, count}, stored.data());
        else
          from = weights.stored.data() + (row + k) / block_length(type) * block_bytes(type);
        put_block<layout.of>(from, panel, panel_columns, j, k, count);
      }
    }
  };
  pool.run(panels, [&](std::size_t first, std::size_t last, std::size_t) {
    for (std::size_t p = first; p < last; ++p)
      with_format(format, [&](auto layout) {
        if constexpr (k_blocks || !layout.in_k_blocks) pack(layout, p);
      });
  });
  return made;
}

} // namespace

packed in_format_panels(weight_format format, const weight_view& weights, std::size_t columns,
                        std::size_t depth, std::size_t panel, thread_pool& pool, const std::string& name) {
  return in_panels<true>(format, weights, columns, depth, panel, pool, name);
}
packed in_format_panels_but_k(weight_format format, const weight_view& weights, std::size_t columns,
                              std::size_t depth, std::size_t panel, thread_pool& pool,
                              const std::string& name) {
  return in_panels<false>(format, weights, columns, depth, panel, pool, name);
}

} // namespace fovea::core
