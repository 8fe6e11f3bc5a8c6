#pragma once

#include <fovea/backends/simd/steps.hpp>
#include <fovea/dsl/sentence.hpp>

namespace fovea::core::simd {

/// How the steps of one operation run, and what memory they need.
struct step_row {
  void (*run)(context&, const step&) = nullptr;
  scratch_floats (*scratch)(context&, const step&) = nullptr;

  constexpr step_row() = default;
  constexpr step_row(void (*running)(context&, const step&)) : run(running) {}
  constexpr step_row(void (*running)(context&, const step&), scratch_floats (*needed)(context&, const step&))
      : run(running), scratch(needed) {}
};

/// The row of an operation that is a step by itself. For constants alone, so that a program links only what its
/// models run.
constexpr step_row row_of(op kind) {
  const struct {
    op kind;
    step_row row;
  } rows[] = {
      {op::attention, {run_attention, attention_scratch}},
      {op::attention_map, {run_attention_map, attention_map_scratch}},
      {op::attention_gradient, {run_attention_gradient, attention_gradient_scratch}},
      {op::layer_norm, {run_norm}},
      {op::rms_norm, {run_norm}},
      {op::layer_norm_gradient, {run_norm_gradient}},
      {op::rms_norm_gradient, {run_norm_gradient}},
      {op::group_norm, {run_group_norm}},
      {op::batch_norm, {run_batch_norm}},
      {op::softmax, {run_softmax}},
      {op::log_softmax, {run_softmax}},
      {op::cross_entropy, {run_cross_entropy}},
      {op::cross_entropy_gradient, {run_cross_entropy}},
      {op::cumsum, {run_reduce}},
      {op::argmax, {run_argmax}},
      {op::gather, {run_gather}},
      {op::order, {run_order, order_scratch}},
      {op::take_along, {run_take_along}},
      {op::expert_linear, {run_expert_linear, expert_linear_scratch}},
      {op::range, {run_range}},
      {op::sinusoidal, {run_sinusoidal}},
      {op::rope, {run_rope}},
      {op::concat, {run_concat}},
      {op::max_pool, {run_pool}},
      {op::avg_pool, {run_pool}},
      {op::stft, {run_stft, stft_scratch}},
      {op::stft_transposed, {run_stft, stft_scratch}},
      {op::pad, {run_pad}},
      {op::slice_gradient, {run_slice_gradient}},
      {op::scatter_add, {run_scatter_add}},
      {op::take_along_gradient, {run_take_along_gradient}},
      {op::expert_linear_gradient, {run_expert_linear_gradient, expert_gradient_scratch}},
      {op::expert_weight_gradient, {run_expert_weight_gradient, expert_gradient_scratch}},
      {op::conv_weight_gradient, {run_convolution_weight_gradient, convolution_weight_gradient_scratch}},
      {op::max_pool_gradient, {run_pool_gradient}},
      {op::avg_pool_gradient, {run_pool_gradient}},
      {op::dropout_mask, {run_dropout_mask}},
      {op::rank_mean, {run_over_ranks}},
      {op::rank_count, {run_over_ranks}},
      {op::time_step, {run_time_step}},
      {op::time_index, {run_time_index}},
      {op::stack, {run_stack}},
      {op::keep, {run_keep}},
      {op::cache, {run_cache}},
      {op::position, {run_position}},
      {op::outside, {run_outside}},
      {op::transpose, {run_copy}},
      {op::permute, {run_copy}},
      {op::slice, {run_copy}},
      {op::reverse, {run_copy}},
      {op::broadcast, {run_copy}},
  };
  for (const auto& one : rows)
    if (one.kind == kind) return one.row;
  if (operation_of(kind).of == family::reduction) return {run_reduce};
  impossible("an operation without a step");
}

/// The row of a step, empty for where a loop begins or ends.
constexpr step_row row_of(const graph_view& graph, const step& s) {
  switch (s.kind) {
    case step_kind::product:
      return {run_product, product_scratch};
    case step_kind::matmul:
      return {run_matmul, matmul_scratch};
    case step_kind::convolution:
      return {run_convolution, convolution_scratch};
    case step_kind::chain:
      return {run_chain};
    case step_kind::loop_begin:
    case step_kind::loop_end:
      return {nullptr};
    default:
      return row_of(graph.at(s.node).kind);
  }
}

} // namespace fovea::core::simd
