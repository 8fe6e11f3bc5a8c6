#pragma once

#include <cstdint>

#include <fovea/dsl/op.hpp>
#include <fovea/dsl/sentence.hpp>
#include <fovea/dsl/settings.hpp>

namespace fovea::core {

/// The dims of a value, as ids that its graph has given them: equal ids are equal dims.
struct shape {
  static constexpr int max_rank = 6;
  std::uint8_t rank = 0;
  std::uint16_t dims[max_rank] = {};

  constexpr std::uint16_t operator[](int axis) const { return dims[axis < 0 ? rank + axis : axis]; }
  constexpr std::uint16_t& operator[](int axis) { return dims[axis < 0 ? rank + axis : axis]; }
  constexpr void push(std::uint16_t dim_id) { dims[rank++] = dim_id; }
  friend constexpr bool operator==(const shape& a, const shape& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (a.dims[i] != b.dims[i]) return false;
    return true;
  }
};

/// Of a node of a stream's step: so many positions behind those that the step is given lie what it works on,
/// and in each layer of the repeat around it so many more.
struct lag {
  std::int32_t positions = 0, each_layer = 0;
};

static_assert(sizeof(permute_settings::order) == shape::max_rank);

/// One operation.
struct node {
  op kind = op::constant;
  element type = element::f32;
  std::uint8_t operand_count = 0;
  std::uint8_t region = 0; // 0: the model itself; else the body of a repeat
  std::int32_t first_operand = 0;
  core::shape shape = {};
  std::uint16_t scope = 0;
  node_settings settings = {};
  core::lag lag = {};
  source_place at = {};
};

/// The word that the user wrote for a node: one made of several, or the node's own.
constexpr const char* word_of(const node& n) { return n.at.word != nullptr ? n.at.word : word_of(n.kind); }

/// The axis along which a slice, a pad, or a node with axis_settings works.
constexpr int axis_along(const node& n) {
  switch (operation_of(n.kind).settings) {
    case told::slice:
      return n.settings.slice.axis;
    case told::pad:
      return n.settings.pad.axis;
    default:
      return n.settings.along.axis;
  }
}
/// Which of the values that a stream keeps a state, keep or cache is.
constexpr int kept_index(const node& n) {
  return n.kind == op::cache ? n.settings.cache.index : n.settings.entry.index;
}

} // namespace fovea::core
