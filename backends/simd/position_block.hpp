#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <fovea/backends/pieces.hpp>
#include <fovea/backends/simd/block_code.hpp>
#include <fovea/backends/simd/kernel_choice.hpp>
#include <fovea/backends/simd/prepared_weights.hpp>
#include <fovea/backends/stream_state.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core::simd {

/// The way of a small stream for a call's positions of one batch row: one function, its parameters packed, and the memory
/// of its outputs. `step_model` is the step of the stream along `time`.
template <class step_model, dim time>
class position_block {
  using lowered = typename step_model::lowered;
  using code = block_code<lowered, time>;
  static constexpr graph_view graph = lowered::view;
  static constexpr std::size_t inputs = graph.inputs.size(), outputs = graph.outputs.size();

public:
  /// Whether the stream has such a function.
  static constexpr bool exists = code::exists;

  /// Whether it takes less time than the steps. Of few features these leave most of a vector idle; of more, kernels of a
  /// set with longer vectors than the code is compiled for are faster.
  static bool serves(const generated_stream& of) {
    constexpr int few = 4;
    return code::found.widest <= few || of.block.lanes >= kernels_of(of.step).set.vector;
  }
  /// `most_positions` in a call.
  position_block(const model_parameters& parameters, std::int64_t most_positions,
                 const generated_block& its_code)
      : code_(its_code), packed_(packed_for<code>(its_code, parameters)),
        outputs_(floats_of_outputs(static_cast<std::size_t>(most_positions))) {}

  /// What the stream keeps.
  void set_states(std::span<const kept_state> states) { states_ = states.data(); }

  /// All positions of an input of a call.
  using given_inputs = std::array<const float*, inputs>;
  void run(const given_inputs& given, std::size_t positions, std::size_t window_start) {
    code_.run({.packed = packed_->data(),
               .inputs = given.data(),
               .outputs = outputs_.data(),
               .states = states_,
               .window_start = window_start,
               .positions = positions});
  }
  const void* output(std::size_t i) const { return outputs_[i]; }

private:
  static std::array<std::size_t, outputs> floats_of_outputs(std::size_t positions) {
    std::array<std::size_t, outputs> floats{};
    for (std::size_t i = 0; i < outputs; ++i)
      floats[i] = positions * static_cast<std::size_t>(code::width_of(graph.outputs[i].node));
    return floats;
  }

  generated_block code_;
  std::shared_ptr<const packed> packed_;
  pieces outputs_;
  const kept_state* states_ = nullptr;
};

} // namespace fovea::core::simd
