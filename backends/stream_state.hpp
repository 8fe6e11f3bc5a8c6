#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core {

/// What a stream keeps from call to call: a value for each layer of the repeats around it, `layer` floats
/// from each other. A cache has room for `rows` positions in each batch row. In a layer, what is kept lies by
/// the sizes of the call, as other values do: capacity only says how much there is room for. Keys and values
/// may be kept in a format.
struct kept_state {
  float* data = nullptr;
  std::size_t layer = 0, rows = 0;
  weight_format format = weight_format::f32;
};

/// Of a format that keys and values are kept in: so many values of a row lie in so many floats of memory. In q8_0 these are
/// a scale and 32 bytes.
struct kept_piece {
  std::size_t values = 1, floats = 1;
};
constexpr kept_piece kept_piece_of(weight_format format) {
  switch (traits(format).bits) {
    case 8:
      return {32, 9};
    case 16:
      return {2, 1};
    default:
      return {};
  }
}
/// The floats that so many values of a row take, whole pieces.
constexpr std::size_t kept_floats(weight_format format, std::size_t values) {
  const kept_piece p = kept_piece_of(format);
  return values / p.values * p.floats;
}
/// The floats from one position of a cache to the next, by the size of each dim of its graph.
inline std::size_t floats_of_position(const graph_view& g, int cache, weight_format format,
                                      const std::int64_t* sizes) {
  const node& n = g.at(cache);
  std::size_t values = 1;
  for (int axis = n.settings.cache.axis + 1; axis < n.shape.rank; ++axis)
    values *= static_cast<std::size_t>(sizes[n.shape.dims[axis]]);
  return kept_floats(format, values);
}

/// How many positions a sequence has whose end is not known: more than any, and multiplied by any rate still
/// a number.
inline constexpr std::int64_t no_end = std::int64_t{1} << 40;

/// Where a batch row of a stream stands. An idle row takes no position in a call: what it keeps stays.
struct row_position {
  std::int64_t before = 0;
  std::int64_t end = no_end; // how many positions its sequence has
  bool idle = false;

  /// Where its values are counted from; those of an idle row are not used.
  std::int64_t first() const { return idle ? 0 : before; }
};

/// The number of a position as graphs count it: where it only tells the beginning from later, there is no
/// end.
inline std::int32_t integer_position(std::int64_t position) {
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(position < largest ? position : largest);
}

} // namespace fovea::core
