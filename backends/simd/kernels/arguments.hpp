#pragma once

// What kernels are told: plain structs of pointers and sizes.

#include <cstddef>
#include <cstdint>

#include <fovea/backends/stream_state.hpp>
#include <fovea/dsl/op.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core::simd {

using std::size_t;

/// One output of a matrix product that shares its left operand with others (query, key and value, for
/// instance).
///   panels   weights [columns, depth] packed by `pack`, or in another format by in_format_panels
///   bias     [columns] or null
///   out      [rows, columns], rows out_stride apart
///   other    [rows, columns] or null, rows other_stride apart; joined after the activation (residual: add,
///   gate: multiply)
struct product_part {
  const void* panels = nullptr;
  size_t columns = 0;
  const float* bias = nullptr;
  float* out = nullptr;
  size_t out_stride = 0;
  const float* other = nullptr;
  size_t other_stride = 0;
  op act = op::none;
  op join = op::none;
  weight_format format = weight_format::f32;
};

/// out = join(act(a * weights^T + bias), other) for each part.
///   a  [rows, depth], rows a_stride apart; with `ids`, row i is row ids[i] of a (gather as prologue); with
///   `row_starts`, row i begins there, wherever that is; with `row_shifts`, rows lie in pieces of `piece`
///   floats, a divisor of depth, and row_shifts[i] is skipped after each
struct product_args {
  const float* a = nullptr;
  size_t rows = 0, depth = 0, a_stride = 0;
  const std::int32_t* ids = nullptr;
  const product_part* parts = nullptr;
  size_t part_count = 0;
  const float* const* row_starts = nullptr;
  const std::ptrdiff_t* row_shifts = nullptr;
  size_t piece = 0;
  bool from_memory = false; // whether the weights have left the caches since they were read last
  bool backward = false;    // whether panels of the weights are read from the last to the first
  size_t threads = 1;       // that share the tasks: many take fewer rows each
};

/// Packs b, of which element (column j, depth k) is at b[j * column_stride + k * depth_stride], into panels
/// of `table::panel` columns: panel p holds, for each k, its columns side by side; missing columns are zero.
/// `panels` is 64-byte aligned and holds panel_floats(columns, depth) floats.
struct pack_args {
  const float* b = nullptr;
  size_t columns = 0, depth = 0, column_stride = 0, depth_stride = 0;
  float* panels = nullptr;
};

/// Packs b [rows, columns], rows `row` apart, rounded to bfloat16, as bf16_products reads it (panel_layout.hpp): into
/// panels of its rows, as weights [out, in] of x W^T are, and into panels of its columns, as those of x W.
/// Both are 64-byte aligned, or null where they are not wanted.
struct bfloat_pack_args {
  const float* b = nullptr;
  size_t rows = 0, columns = 0, row = 0;
  unsigned char *of_rows = nullptr, *of_columns = nullptr;
};

/// out [rows, columns] = x, each value rounded to the nearest bfloat16, of two to the even one. out may be x.
struct bfloat_round_args {
  const float* x = nullptr;
  float* out = nullptr;
  size_t rows = 0, columns = 0, x_row = 0, out_row = 0;
};

/// One axis of a convolution or pooling: place p and tap k of the window there are position p * step + first
/// + k * tap_step of the input; a tap outside of it adds nothing.
struct window_axis {
  size_t in = 1, places = 1, taps = 1;
  std::ptrdiff_t step = 1, first = 0, tap_step = 1;
};

/// out[place] = join(act(sum over taps of x[position] W[tap]^T + bias), other), an implicit matrix product:
/// what a window sees is a row of its left operand. axis[0] is the height, 1 over time.
///   x        [planes, axis[0].in, axis[1].in, groups * depth]
///   weights  for each group, [columns, taps * depth] packed by `pack`, its depth running over taps of axis[0],
///            of axis[1] and features;
///            of a depthwise convolution, [taps, groups]; by tiles, [columns, features of a
///            position] of each of weight_layout's products, packed
///   bias     [groups * columns]
///   out      [planes, places of axis[0], of axis[1], groups * columns], floats apart as out_plane, out_line
///            and out_place say; other lies as out does, or is null
///   largest  out [planes, groups * columns] has the largest value over all places instead; without `other`
struct convolution_args {
  const float* x = nullptr;
  size_t planes = 0, x_plane = 0; // x_plane: floats from one plane of x to the next
  window_axis axis[2] = {};
  size_t groups = 1, depth = 0, columns = 0;
  bool largest = false;
  const float *weights = nullptr, *bias = nullptr;
  float* out = nullptr;
  size_t out_plane = 0, out_line = 0, out_place = 0;
  const float* other = nullptr;
  op act = op::none;
  op join = op::none;
  size_t threads = 1; // that share the tasks: many take fewer tiles each
};

/// The largest value, or the mean, of what a window sees of each feature: x and out as in convolution_args,
/// `width` features. Means are over the taps before `counted` on each axis that are, with count_padding, at
/// any position, else inside.
struct pool_args {
  const float* x = nullptr;
  float* out = nullptr;
  size_t planes = 0, x_plane = 0, width = 0; // x_plane: floats from one plane of x to the next
  window_axis axis[2] = {};
  bool mean = false, count_padding = false;
  std::ptrdiff_t counted[2] = {0, 0}; // one past the last position of the padding behind an axis
};

/// Of op::stft and op::stft_transposed (dsl/fourier.hpp): rows [planes, rows, hop] and spectra [planes, frames, 2 bins],
/// one of which is x, `x_plane` floats from one plane to the next, and the other out. Frame t has its first sample
/// `before` rows in front of row t, 0 where the rows are x, and all of them are there.
struct frame_args {
  const float* x = nullptr;
  float* out = nullptr;
  size_t planes = 0, x_plane = 0, frames = 0, rows = 0, hop = 0, before = 0;
  size_t width = 0, points = 0, first = 0;
  const float *window = nullptr, *turns = nullptr;
};

/// out[i] = table[ids[i]], rows of `width` floats. With `paneled` the table is packed as a product's weights
/// are (columns are its rows, depth its width), in a format: a table that is tied to an output projection is
/// stored once.
struct gather_args {
  const void* table = nullptr;
  bool paneled = false;
  size_t width = 0, rows = 0;
  const std::int32_t* ids = nullptr;
  float* out = nullptr;
  size_t out_stride = 0;
  weight_format format = weight_format::f32;
};

/// Softmax(scale * q k^T + bias, capped and masked) v, without stored scores (online softmax: Milakov and
/// Gimelshein 2018; Dao et al. 2022).
///   q, out  [batch, queries, heads, key_width or value_width]  strides q_batch, q_row; heads side by side in a row
///   k, v    [batch, keys, kv_heads, key_width or value_width]  head h reads key head h / (heads / kv_heads);
///           strides k_batch, k_row. In key_format and value_format, as a stream keeps them
///   bias    strides bias_batch, bias_head, bias_query (0 where broadcast), keys side by side; null for none
///   lower   query i of batch row b sees lower[b * bounds_batch + i] <= key < upper[...]; null for every key.
///   upper   A row that sees no key gives zeros.
///   shared  what the tasks leave for join_attention, or find in it rounded; 64-byte aligned
///   threads of those who share the tasks: fewer take more keys and values from one copy
struct attention_args {
  const float *q = nullptr, *k = nullptr, *v = nullptr;
  float* out = nullptr;
  size_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, key_width = 0, value_width = 0;
  size_t q_batch = 0, q_row = 0, out_batch = 0, out_row = 0;
  size_t k_batch = 0, k_row = 0, v_batch = 0, v_row = 0;
  weight_format key_format = weight_format::f32, value_format = weight_format::f32;
  float scale = 1, soft_cap = 0; // soft_cap 0: none; else score = soft_cap * tanh(score / soft_cap)
  const float* bias = nullptr;
  size_t bias_batch = 0, bias_head = 0, bias_query = 0;
  const std::int32_t *lower = nullptr, *upper = nullptr;
  size_t bounds_batch = 0;
  float* shared = nullptr;
  size_t threads = 1;
};

/// Keys or values as a stream keeps them: rows of `width` floats, whole pieces of the format, one behind the other.
struct keep_args {
  const float* x = nullptr;
  size_t rows = 0, width = 0;
  float* out = nullptr;
  weight_format format = weight_format::f32;
};

/// What attention's gradient does to the scores of some queries, in place: S becomes P = softmax(scale S),
/// and dP becomes dS = scale P (dP - sum of dP P).
///   scores, gradients  S and dP [rows, keys], rows `stride` apart: a multiple of 16 floats, all of which
///                      may be written
///   lower, upper       lower <= key < upper sees it, key `first_key` being the first of a row; null for
///   every key
struct attention_gradient_args {
  float *scores = nullptr, *gradients = nullptr;
  size_t rows = 0, keys = 0, stride = 0;
  float scale = 1;
  const std::int32_t *lower = nullptr, *upper = nullptr;
  size_t first_key = 0;
};

/// layer_norm: (x - mean) / sqrt(variance + epsilon) * weight + bias (Ba et al. 2016);
/// rms_norm: x / sqrt(mean(x^2) + epsilon) * weight (Zhang and Sennrich 2019). Over rows of `width`; weight
/// and bias may be null; out may be x.
struct norm_args {
  const float* x = nullptr;
  float* out = nullptr;
  size_t rows = 0, width = 0;
  const float *weight = nullptr, *bias = nullptr;
  float epsilon = 0;
};

/// The gradients of layer_norm or rms_norm; weight may be null.
///   x, d, out  [rows, width]: its operand, the gradient of its result, that of its operand, which is neither
///   sums       [tasks, 2, width]: of each task's `part` rows, the gradients of weight and of bias
struct norm_gradient_args {
  const float *x = nullptr, *d = nullptr, *weight = nullptr;
  float *out = nullptr, *sums = nullptr;
  size_t rows = 0, width = 0, part = 1;
  float epsilon = 0;
};

/// softmax or log_softmax over the middle axis of [outer, count, inner]; out may be x.
struct softmax_args {
  const float* x = nullptr;
  float* out = nullptr;
  size_t outer = 0, count = 0, inner = 0;
};

/// cross_entropy: out [rows], of each row of x [rows, classes] and its target -log of the target's share of
/// softmax, `smoothing` of which is spread over all classes; a target that is no class adds nothing but what
/// is spread. Its gradient: out [rows, classes], d [rows] being that of the result.
struct cross_entropy_args {
  const float* x = nullptr;
  const std::int32_t* targets = nullptr;
  const float* d = nullptr;
  float* out = nullptr;
  size_t rows = 0, classes = 0;
  float smoothing = 0;
};

/// Reduces the middle axis of [outer, count, inner] to [outer, inner], by sum, mean, max_over or min_over.
struct reduce_args {
  op by = op::sum;
  const float* x = nullptr;
  float* out = nullptr;
  size_t outer = 0, count = 0, inner = 0;
};

/// out[j * out_row + i] = x[i * x_row + j]: [rows, columns] becomes [columns, rows].
struct turn_args {
  const float* x = nullptr;
  float* out = nullptr;
  size_t rows = 0, columns = 0, x_row = 0, out_row = 0;
};

/// out = a^T b, or with `add` out + a^T b: a [depth, rows], b [depth, columns], out [rows, columns], rows of
/// each `*_row` floats apart. out is neither a nor b. sums [rows]: those of a over the depth; null for none.
struct turned_product_args {
  const float *a = nullptr, *b = nullptr;
  float* out = nullptr;
  size_t rows = 0, columns = 0, depth = 0, a_row = 0, b_row = 0, out_row = 0;
  bool add = false;
  float* sums = nullptr;
  size_t threads = 1; // that share the tasks: many take smaller blocks each
};

/// Floats that `columns` x `depth` weights take when packed in panels of `panel` columns.
constexpr size_t panel_floats(size_t panel, size_t columns, size_t depth) {
  return (columns + panel - 1) / panel * panel * depth;
}

} // namespace fovea::core::simd
