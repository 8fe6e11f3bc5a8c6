#pragma once

#include <cstdint>

#include <fovea/dsl/op.hpp>

namespace fovea::core {

/// What operations are told beside their operands: of each kind a struct of its own, in the union of a node.
/// The words' own files say how they set them.

struct no_settings {
  friend constexpr bool operator==(const no_settings&, const no_settings&) = default;
};

/// input, parameter: which of the graph's; state, keep: which of the values that a stream keeps.
struct entry_settings {
  std::int32_t index = 0;
  friend constexpr bool operator==(const entry_settings&, const entry_settings&) = default;
};

/// carry, repeat_output: which value of what a region carries; scan_output: the region alone.
struct carried_settings {
  std::int32_t index = 0, region = 0;
  friend constexpr bool operator==(const carried_settings&, const carried_settings&) = default;
};

/// time_step, time_index, stack: the axis of time of what lies outside, and the region.
struct time_settings {
  std::int32_t axis = 0, region = 0;
  friend constexpr bool operator==(const time_settings&, const time_settings&) = default;
};

/// cache: which of the values that a stream keeps, its axis of time, how many positions it keeps (0: all),
/// their rate as positions_at has it, and what it begins with.
struct cache_settings {
  std::int32_t index = 0, axis = 0, kept = 0, rate = 1;
  double first = 0;
  friend constexpr bool operator==(const cache_settings&, const cache_settings&) = default;
};

/// outside: the axis of positions, their rate, and how many there are beside those of the dim.
struct outside_settings {
  std::int32_t axis = 0, rate = 1, extra = 0;
  friend constexpr bool operator==(const outside_settings&, const outside_settings&) = default;
};

/// concat, reverse, take_along and its gradient, softmax, log_softmax, and reductions, which may keep the axis as 1.
struct axis_settings {
  std::int32_t axis = 0;
  bool keep = false;
  friend constexpr bool operator==(const axis_settings&, const axis_settings&) = default;
};

/// order: the smallest first, rather than the largest.
struct order_settings {
  bool ascending = false;
  friend constexpr bool operator==(const order_settings&, const order_settings&) = default;
};

/// slice, slice_gradient: the axis, and from where on, a dim of the graph.
struct slice_settings {
  std::int32_t axis = 0;
  std::uint16_t first = 0;
  friend constexpr bool operator==(const slice_settings&, const slice_settings&) = default;
};

struct pad_settings {
  std::int32_t axis = 0, before = 0, after = 0;
  double value = 0;
  friend constexpr bool operator==(const pad_settings&, const pad_settings&) = default;
};

/// permute: axis i of the result is axis order[i] of the operand.
struct permute_settings {
  std::int8_t order[6] = {};
  friend constexpr bool operator==(const permute_settings&, const permute_settings&) = default;
};

/// layer_norm, rms_norm, batch_norm, group_norm and gradients of the first two.
struct norm_settings {
  double epsilon = 0, momentum = 0;
  std::int32_t groups = 1;
  friend constexpr bool operator==(const norm_settings&, const norm_settings&) = default;
};

/// cross_entropy and its gradient: the target that is left out, and the smoothing.
struct loss_settings {
  std::int32_t ignore = 0;
  double smoothing = 0;
  friend constexpr bool operator==(const loss_settings&, const loss_settings&) = default;
};

/// attention, attention_map, attention_gradient. score and mask are functions of the graph, or -1.
struct attention_settings {
  std::int16_t heads = 1, kv_heads = 1;
  bool has_bias = false;
  std::int16_t score = -1, mask = -1;
  double scale = 1, soft_cap = 0;
  /// The operand behind query, key, value and bias: the first table of score and mask.
  constexpr int first_table() const { return has_bias ? 4 : 3; }
  friend constexpr bool operator==(const attention_settings&, const attention_settings&) = default;
};

/// rope: `width` features of each head turn, by the negative angle where turned_back, from position `first`
/// on. rate: that of positions in the step of a stream, else 0. scaling: which of the graph's, or -1.
struct rope_settings {
  std::int32_t heads = 1, width = 0;
  bool neighbours = false, turned_back = false;
  std::int8_t scaling = -1;
  std::int32_t first = 0, rate = 0;
  double base = 10000;
  friend constexpr bool operator==(const rope_settings&, const rope_settings&) = default;
};

/// sinusoidal; the rate as of rope.
struct sinusoidal_settings {
  double base = 10000;
  std::int32_t rate = 0;
  friend constexpr bool operator==(const sinusoidal_settings&, const sinusoidal_settings&) = default;
};

/// Convolutions, pooling, stft and their gradients: which window of the graph; of avg_pool whether padding counts; of
/// stft how many points of the transform lie before the window.
struct window_settings {
  std::int32_t index = 0;
  bool count_padding = false;
  std::int32_t first = 0;
  friend constexpr bool operator==(const window_settings&, const window_settings&) = default;
};

/// dropout: of_weights where it stands behind an attention, and its weights are meant. dropout_mask: which
/// draw of a call.
struct dropout_settings {
  double rate = 0;
  std::int32_t draw = 0;
  bool of_weights = false;
  friend constexpr bool operator==(const dropout_settings&, const dropout_settings&) = default;
};

union node_settings {
  no_settings none = {};
  entry_settings entry;
  double number; // constant
  carried_settings carried;
  time_settings time;
  cache_settings cache;
  outside_settings outside;
  axis_settings along;
  order_settings order;
  slice_settings slice;
  pad_settings pad;
  permute_settings permute;
  norm_settings norm;
  loss_settings loss;
  attention_settings attention;
  rope_settings rope;
  sinusoidal_settings sinusoidal;
  window_settings window;
  dropout_settings dropout;
};

/// f(a's settings, b's settings) of two operations of one kind.
template <class F>
constexpr auto with_settings(op kind, const node_settings& a, const node_settings& b, const F& f) {
  switch (operation_of(kind).settings) {
    case told::entry:
      return f(a.entry, b.entry);
    case told::number:
      return f(a.number, b.number);
    case told::carried:
      return f(a.carried, b.carried);
    case told::time:
      return f(a.time, b.time);
    case told::cache:
      return f(a.cache, b.cache);
    case told::outside:
      return f(a.outside, b.outside);
    case told::along:
      return f(a.along, b.along);
    case told::order:
      return f(a.order, b.order);
    case told::slice:
      return f(a.slice, b.slice);
    case told::pad:
      return f(a.pad, b.pad);
    case told::permute:
      return f(a.permute, b.permute);
    case told::norm:
      return f(a.norm, b.norm);
    case told::loss:
      return f(a.loss, b.loss);
    case told::attention:
      return f(a.attention, b.attention);
    case told::rope:
      return f(a.rope, b.rope);
    case told::sinusoidal:
      return f(a.sinusoidal, b.sinusoidal);
    case told::window:
      return f(a.window, b.window);
    case told::dropout:
      return f(a.dropout, b.dropout);
    case told::none:
      break;
  }
  return f(a.none, b.none);
}

} // namespace fovea::core
