#pragma once

#include <cstddef>

#include <fovea/weights/weight_format.hpp>

namespace fovea::core {

/// Weights [columns, depth] in panels of `panel` columns (panel_layout.hpp), wherever they lie; in none where there is no
/// data.
struct panels_view {
  const std::byte* data = nullptr;
  weight_format format = weight_format::f32;
  std::size_t panel = 0, columns = 0, depth = 0;

  std::size_t bytes() const;
};

/// Whether what is compiled for panels of so many columns may read them where they lie.
bool are_read_in_place(const panels_view& weights, std::size_t panel);

/// The same weights, bit for bit, in panels of another number of columns, a power of two as theirs is: panels first to
/// last - 1 of them, `to` being the place of the first of all.
void write_panels(const panels_view& weights, std::size_t panel, std::size_t first, std::size_t last,
                  std::byte* to);

/// What they stand for, [columns, depth].
void to_floats(const panels_view& weights, float* to);

} // namespace fovea::core
