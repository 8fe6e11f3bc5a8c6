#include <fovea/weights/panels.hpp>

#include <fovea/weights/panel_values.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace fovea::core {
namespace {

/// Some columns that lie side by side in a panel of so many.
struct columns_of {
  std::size_t panel, first;
};

void copy_halves_of_bytes(const panel_places& layout, const std::byte* from, columns_of a, std::byte* to,
                          columns_of b, std::size_t count, std::size_t k) {
  const auto is_low = [](columns_of all, std::size_t i) { return all.first + i < all.panel / 2; };
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte value =
        from[layout.place(a.panel, k, a.first + i)] >> (is_low(a, i) ? 0 : 4) & std::byte{15};
    to[layout.place(b.panel, k, b.first + i)] |= value << (is_low(b, i) ? 0 : 4);
  }
}

/// Columns of one panel of weights to those of another, which is zeros.
void copy_columns(const panel_places& layout, const std::byte* from, columns_of a, std::byte* to,
                  columns_of b, std::size_t count, std::size_t depth) {
  const auto copy = [&](std::size_t at, std::size_t at_to, std::size_t bytes) {
    std::memcpy(to + at_to, from + at, count * bytes);
  };
  if (layout.scaled)
    for (std::size_t k = 0; k < depth; k += layout.grouped ? layout.block : depth) {
      for (std::size_t i = 0; i < layout.halves; ++i)
        copy(layout.half(a.panel, k, i, a.first), layout.half(b.panel, k, i, b.first), 2);
      for (std::size_t i = 0; i < layout.words; ++i)
        copy(layout.word(a.panel, k, i, a.first), layout.word(b.panel, k, i, b.first), 4);
    }
  if (layout.above_bits > 0)
    for (std::size_t k = 0; k < depth; k += layout.together)
      copy(layout.above(a.panel, k) + a.first * layout.above_bytes,
           layout.above(b.panel, k) + b.first * layout.above_bytes, layout.above_bytes);
  // What products that round rows read of a column at a time is 32 bits.
  const std::size_t bytes = layout.bits / 8,
                    together = layout.rounded_rows && !layout.of_4_bits ? 4 / bytes : 1;
  for (std::size_t k = 0; k < depth; k += together)
    if (layout.of_4_bits)
      copy_halves_of_bytes(layout, from, a, to, b, count, k);
    else
      copy(layout.place(a.panel, k, a.first), layout.place(b.panel, k, b.first), bytes * together);
}

} // namespace

std::size_t panels_view::bytes() const {
  return (columns + panel - 1) / panel * panel_bytes(format, panel, depth);
}

bool are_read_in_place(const panels_view& weights, std::size_t panel) {
  constexpr std::uintptr_t line = 64; // bytes, which every vector divides
  return weights.panel == panel && reinterpret_cast<std::uintptr_t>(weights.data) % line == 0;
}

void write_panels(const panels_view& weights, std::size_t panel, std::size_t first, std::size_t last,
                  std::byte* to) {
  const panel_places layout(traits(weights.format));
  const std::size_t bytes = layout.bytes(panel, weights.depth),
                    bytes_before = layout.bytes(weights.panel, weights.depth),
                    run = std::min(panel, weights.panel);
  std::memset(to + first * bytes, 0, (last - first) * bytes);
  const std::size_t end = std::min(last * panel, weights.columns);
  for (std::size_t column = first * panel; column < end; column += run)
    copy_columns(layout, weights.data + column / weights.panel * bytes_before,
                 {weights.panel, column % weights.panel}, to + column / panel * bytes,
                 {panel, column % panel}, std::min(run, end - column), weights.depth);
}

void to_floats(const panels_view& weights, float* to) {
  with_format(weights.format, [&](auto layout) {
    const std::size_t bytes = layout.bytes(weights.panel, weights.depth);
    for (std::size_t column = 0; column < weights.columns; ++column) {
      const auto* panel =
          reinterpret_cast<const unsigned char*>(weights.data) + column / weights.panel * bytes;
      for (std::size_t k = 0; k < weights.depth; ++k)
        *to++ = weight_at<layout.of>(panel, weights.panel, k, column % weights.panel);
    }
  });
}

} // namespace fovea::core
