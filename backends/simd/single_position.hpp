#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include <fovea/backends/pieces.hpp>
#include <fovea/backends/simd/position_code.hpp>
#include <fovea/backends/simd/prepared_weights.hpp>
#include <fovea/backends/stream_state.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core::simd {

/// The way of a small stream for one position at a time: one function, its parameters packed, and the memory
/// of its inputs and outputs. `step_model` is the step of the stream along `time`.
template <class step_model, dim time>
class single_position {
  using lowered = typename step_model::lowered;
  using code = position_code<lowered, time>;
  static constexpr graph_view graph = lowered::view;
  static constexpr std::size_t inputs = graph.inputs.size(), outputs = graph.outputs.size();

public:
  /// Whether the stream has such a function.
  static constexpr bool exists = code::eligible;
  /// Whether windows that it keeps move on in their memory.
  static constexpr bool has_windows = code::has_windows;

  /// The memory of the inputs of a stream of one batch row, whose shapes are constants.
  struct one_row {
    float* const* inputs;

    /// The values of an input, and the size of an axis of it.
    template <std::size_t i>
    static constexpr std::size_t row_width = static_cast<std::size_t>(code::width_of(graph.inputs[i].node));
    template <std::size_t i, std::size_t axis>
    static constexpr std::size_t size = [] {
      constexpr int d = graph.at(graph.inputs[i].node).shape.dims[axis];
      return d == code::batch_dim ? std::size_t{1} : static_cast<std::size_t>(code::size_of(d));
    }();
    void* input(std::size_t i, std::span<const std::int64_t>) const { return inputs[i]; }
  };

  /// `most_positions` in a call.
  single_position(const model_parameters& parameters, std::span<const std::int64_t> capacity,
                  std::int64_t most_positions, const generated_position& its_code)
      : code_(its_code),
        rows_(code::batch_dim == 0 ? 1 : static_cast<std::size_t>(capacity[code::batch_dim])),
        positions_(goes_one_by_one() ? static_cast<std::size_t>(most_positions) : 0),
        packed_(packed_for<code>(its_code, parameters)) {
    place_values();
  }
  single_position(const single_position& other)
      : code_(other.code_), rows_(other.rows_), positions_(other.positions_), packed_(other.packed_) {
    place_values();
  }
  single_position& operator=(const single_position&) = delete;

  /// What the stream keeps.
  void set_states(std::span<const kept_state> states) { args_.states = states.data(); }

  one_row row() const { return {inputs_.data()}; }
  void* input(std::size_t i, std::span<const std::int64_t>) { return inputs_[i]; }
  const void* output(std::size_t i) const { return outputs_[i]; }
  /// The next position of so many rows, at least one. `apart` has the place of each where they do not all
  /// stand at one, `furthest` that of the row that has taken most.
  void run(std::size_t rows, std::size_t window_start, const row_position& furthest,
           std::span<const row_position> apart) {
    if constexpr (has_windows) args_.window_start = window_start;
    if constexpr (code::reads_position) args_.before = integer_position(furthest.before);
    std::size_t row = 0;
    do {
      if constexpr (code::reads_position)
        args_.row_before = integer_position((apart.empty() ? furthest : apart[row]).before);
      args_.backward = !args_.backward;
      code_.run(args_, row);
    } while (++row < rows);
  }

  /// Whether one row's positions are taken one by one where a call has several: a recurrence waits for each
  /// in any case, and what else there is takes less time beside it than by itself.
  bool goes_one_by_one() const {
    constexpr std::size_t most_packed = 8192; // what stays in the first-level cache
    return code::has_scan && code_.packed_floats <= most_packed;
  }
  /// All positions of an input of a call.
  using given_inputs = std::array<const float*, inputs>;
  /// Takes position `at` of what a call was given, and leaves its outputs where all of the call lie, those without
  /// positions in the place of the ones before; between the two it is run.
  void take(const given_inputs& given, std::size_t at) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (copy<graph.inputs[i].node>(given[i], at, inputs_[i], 0), ...);
    }
    (std::make_index_sequence<inputs>{});
  }
  void leave(std::size_t at) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (copy<graph.outputs[i].node>(outputs_[i], 0, all_outputs_[i],
                                   code::moves(graph.outputs[i].node) ? at : 0),
       ...);
    }
    (std::make_index_sequence<outputs>{});
  }
  /// The outputs of a call whose positions were taken one by one.
  struct whole_call {
    float* const* outputs;
    const void* output(std::size_t i) const { return outputs[i]; }
  };
  whole_call all() const { return {all_outputs_.data()}; }

private:
  /// A value at one position.
  template <int id>
  static void copy(const float* from, std::size_t from_position, float* to, std::size_t to_position) {
    constexpr auto width = static_cast<std::size_t>(code::width_of(id));
    std::memcpy(to + to_position * width, from + from_position * width, width * sizeof(float));
  }
  void place_values() {
    std::array<std::size_t, inputs + 2 * outputs> floats{};
    const auto place = [&](std::size_t i, int id, std::size_t count) {
      floats[i] = count * static_cast<std::size_t>(code::width_of(id)) + 16; // and a vector behind
    };
    for (std::size_t i = 0; i < inputs; ++i) place(i, graph.inputs[i].node, rows_);
    for (std::size_t i = 0; i < outputs; ++i) place(inputs + i, graph.outputs[i].node, rows_);
    for (std::size_t i = 0; i < outputs; ++i) place(inputs + outputs + i, graph.outputs[i].node, positions_);
    values_ = pieces(floats);
    for (std::size_t i = 0; i < inputs; ++i) inputs_[i] = values_[i];
    for (std::size_t i = 0; i < outputs; ++i) {
      outputs_[i] = values_[inputs + i];
      all_outputs_[i] = values_[inputs + outputs + i];
    }
    args_ = {.packed = packed_->data(), .inputs = inputs_.data(), .outputs = outputs_.data()};
  }

  generated_position code_;
  std::size_t rows_, positions_; // at most; of positions none where they are not taken one by one
  std::shared_ptr<const packed> packed_;
  pieces values_;
  std::array<float*, inputs> inputs_{};
  std::array<float*, outputs> outputs_{}, all_outputs_{};
  position_args args_;
};

} // namespace fovea::core::simd
