#pragma once

// Where a tile of keys and values lies: in the operands, or in a copy whose rows are side by side. In the
// operands a head's rows are a row of all heads apart, each in another page and in few cache sets: a tile
// that is read several times is copied first, and so is one that is kept in another format.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/kept_values.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>

#include <cstddef>

namespace fovea::core::simd::detail {

constexpr size_t round_up(size_t count, size_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// The rows of the tile's first key.
struct key_tile {
  const float* keys;
  size_t key_row;
  const float* values;
  size_t value_row;

  key_tile from(size_t row) const {
    return {keys + row * key_row, key_row, values + row * value_row, value_row};
  }
};

/// The keys and values from `first` on, where they lie.
inline key_tile tile_at(const attention_args& a, size_t batch, size_t kv_head, size_t first) {
  return {a.k + batch * a.k_batch + first * a.k_row + kv_head * kept_floats(a.key_format, a.key_width),
          a.k_row,
          a.v + batch * a.v_batch + first * a.v_row + kv_head * kept_floats(a.value_format, a.value_width),
          a.v_row};
}

/// Floats that a copy of `keys` keys and values takes.
inline size_t copied_tile(const attention_args& a, size_t keys) {
  return keys * (round_up(a.key_width, 16) + round_up(a.value_width, 16));
}

/// Copies `keys` rows of the tile to `to`, in float32.
template <class Arch>
inline key_tile copy_of(const attention_args& a, const key_tile& tile, size_t keys, float* to) {
  float* values = to + keys * a.key_width;
  read_kept<Arch>(a.key_format, tile.keys, tile.key_row, keys, a.key_width, to);
  read_kept<Arch>(a.value_format, tile.values, tile.value_row, keys, a.value_width, values);
  return {to, a.key_width, values, a.value_width};
}

/// Whether keys and values can be read where they lie.
inline bool lie_ready(const attention_args& a) {
  return a.key_format == weight_format::f32 && a.value_format == weight_format::f32;
}

/// `keys` keys and values from `first` on: where they lie, or in a copy.
template <class Arch>
inline key_tile ready_tile(const attention_args& a, size_t batch, size_t kv_head, size_t first, size_t keys,
                           float* copy) {
  const key_tile stored = tile_at(a, batch, kv_head, first);
  return lie_ready(a) ? stored : copy_of<Arch>(a, stored, keys, copy);
}

} // namespace fovea::core::simd::detail
