#pragma once

// Kernels that are generated for one model: its elementwise chains, and attentions whose scores or masks are
// lambdas. They are compiled for one instruction set, either in the user's own file or in a unit that
// fovea_add_model writes, and see the world through plain pointers and sizes.

#include <cstddef>
#include <cstdint>

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/stream_state.hpp>
#include <fovea/dsl/plan/fuse.hpp>

namespace fovea::core::simd {

inline constexpr int max_chain_axes = 6;

/// An elementwise chain over rows of `row` elements. Row i of leaf l begins at the sum over axes of (the
/// row's position along the axis) * strides[l][axis]; int32 and boolean values are int32.
struct chain_args {
  const float* leaves[max_chain_leaves] = {};
  size_t strides[max_chain_leaves][max_chain_axes] = {};
  size_t sizes[max_chain_axes] = {}; // of the axes that count rows
  int axes = 0;
  size_t rows = 0, row = 0;
  float* out = nullptr;
};

/// What a lambda score or mask reads beside positions. An axis `of_queries` of a table has the rows of the
/// call's own queries alone, not of all positions.
///   uniform  [batch, heads, 2, max_nodes]: the values of nodes that depend on the batch row and head alone, integers as their bits,
///   of the score
///            function and of the mask function
struct lambda_args {
  const float* tables[8] = {}; // of the score function, then of the mask function
  size_t table_sizes[8][4] = {};
  bool of_queries[8][4] = {};
  const float* uniform = nullptr;
  std::int32_t query_offset = 0; // the position of the first query
};

/// A parameter as it was loaded: the weights of a product, whose rows are its outputs unless `from_columns`
/// says otherwise, with its bias or null; or a vector.
struct row_parameter {
  const float *values = nullptr, *bias = nullptr;
  bool from_columns = false;
};

inline constexpr int max_scan_values = 8;

/// A scan over `steps` steps of `rows` batch rows. Sequence i at batch row b and step t begins at
/// inputs[i] + b * input_row[i] + t * input_time[i], an output likewise.
/// States are [rows, width], read at first and left as they are
/// after the last step.
struct scan_args {
  const float* packed = nullptr; // the parameters, as `pack` leaves them
  const float* inputs[max_scan_values] = {};
  size_t input_row[max_scan_values] = {}, input_time[max_scan_values] = {};
  float* outputs[max_scan_values] = {};
  size_t output_row[max_scan_values] = {}, output_time[max_scan_values] = {};
  float* states[max_scan_values] = {};
  size_t rows = 0, steps = 0;
};

/// What a small scan reads and writes, as nodes of the graph: sequences at a step, outputs, products,
/// vectors.
struct scan_nodes {
  int region = 0;
  const int *inputs = nullptr, *outputs = nullptr, *weights = nullptr, *vectors = nullptr;
  int input_count = 0, output_count = 0, weight_count = 0, vector_count = 0;
};

/// One position of a small stream. The batch row that it is computed for comes after `row_before` others, the
/// row that is furthest after `before`; `backward`: see row_steps::multiply.
struct position_args {
  const float* packed = nullptr; // the parameters, as `pack` leaves them
  const float* const* inputs = nullptr;
  float* const* outputs = nullptr;
  const kept_state* states = nullptr;
  size_t window_start = 0;
  std::int32_t before = 0, row_before = 0;
  bool backward = false;
};

/// The code of one position; empty where the stream has none.
struct generated_position {
  void (*run)(const position_args&, size_t batch_row) = nullptr;
  void (*pack)(const row_parameter* parameters, float* packed) = nullptr;
  size_t packed_floats = 0;
};

/// `positions` of a small stream of one batch row. inputs[i] and outputs[i] have rows of features one behind
/// the other.
struct block_args {
  const float* packed = nullptr; // the parameters, as `pack` leaves them
  const float* const* inputs = nullptr;
  float* const* outputs = nullptr;
  const kept_state* states = nullptr;
  size_t window_start = 0, positions = 0;
};

/// The code of a block of positions, by vectors of so many lanes; empty where the stream has none.
struct generated_block {
  size_t lanes = 0;
  void (*run)(const block_args&) = nullptr;
  void (*pack)(const row_parameter* parameters, float* packed) = nullptr;
  size_t packed_floats = 0;
};

/// One step's generated code; the member that its kind needs is set.
struct generated_step {
  void (*chain)(const chain_args&, size_t first, size_t last) = nullptr;
  bool flat = false; // whether rows of the chain do not matter
  size_t (*attention_tasks)(const attention_args&) = nullptr;
  size_t (*attention_scratch)(const attention_args&) = nullptr;
  void (*attention)(const attention_args&, const lambda_args&, size_t first, size_t last,
                    float* scratch) = nullptr;
  void (*scan)(const scan_args&, size_t first, size_t last) = nullptr;
  void (*scan_pack)(const row_parameter* parameters, float* packed) = nullptr;
  size_t scan_packed_floats = 0;
};

struct kernel_choice;
struct format_code;

/// A model as what runs it: the generated code of its steps, where the kernels that they call come from, and
/// what weights in a format need beside, or null.
struct model_code {
  const generated_step* steps = nullptr;
  const kernel_choice* kernels = nullptr;
  const format_code* format = nullptr;
};

/// The code of a stream: of a step, of what is computed before the first, of a step of one position, and of a
/// block of them.
struct generated_stream {
  model_code step, begin;
  generated_position position;
  generated_block block;
};

/// All the code of a model for one instruction set; what it was not asked for is empty.
struct generated_model {
  model_code steps, gradients;
  generated_stream stream;
};

} // namespace fovea::core::simd
