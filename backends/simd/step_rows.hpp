#pragma once

#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/backends/simd/steps.hpp>
#include <fovea/backends/simd/weight_layout.hpp>
#include <fovea/dsl/sentence.hpp>

namespace fovea::core::simd {

/// How the steps of one operation run, what memory they need, and the kernels that both call.
struct step_row {
  void (*run)(context&, const step&);
  scratch_floats (*scratch)(context&, const step&) = nullptr;
  kernel_names kernels = {};
};

/// The row of an operation that is a step by itself. For constants alone, so that a program links only what its
/// models run.
constexpr step_row row_of(op kind) {
  using k = kernel_name;
  const struct {
    op kind;
    step_row row;
  } rows[] = {
      {op::attention, {run_attention, attention_scratch, {k::attention}}},
      {op::attention_map, {run_attention_map, attention_map_scratch, {k::pack, k::product, k::softmax}}},
      {op::attention_gradient,
       {run_attention_gradient,
        attention_gradient_scratch,
        {k::pack, k::product, k::turned_product, k::attention_gradient}}},
      {op::layer_norm, {run_norm, nullptr, {k::layer_norm}}},
      {op::rms_norm, {run_norm, nullptr, {k::rms_norm}}},
      {op::layer_norm_gradient, {run_norm_gradient, nullptr, {k::layer_norm_gradient, k::reduce}}},
      {op::rms_norm_gradient, {run_norm_gradient, nullptr, {k::rms_norm_gradient, k::reduce}}},
      {op::group_norm, {run_group_norm}},
      {op::batch_norm, {run_batch_norm}},
      {op::softmax, {run_softmax, nullptr, {k::softmax}}},
      {op::log_softmax, {run_softmax, nullptr, {k::log_softmax}}},
      {op::cross_entropy, {run_cross_entropy, nullptr, {k::cross_entropy}}},
      {op::cross_entropy_gradient, {run_cross_entropy, nullptr, {k::cross_entropy_gradient}}},
      {op::cumsum, {run_reduce, nullptr, {k::cumsum}}},
      {op::argmax, {run_argmax}},
      {op::gather, {run_gather, nullptr, {k::gather}}},
      {op::range, {run_range}},
      {op::sinusoidal, {run_sinusoidal}},
      {op::rope, {run_rope}},
      {op::concat, {run_concat}},
      {op::max_pool, {run_pool, nullptr, {k::pool}}},
      {op::avg_pool, {run_pool, nullptr, {k::pool}}},
      {op::pad, {run_pad}},
      {op::slice_gradient, {run_slice_gradient}},
      {op::scatter_add, {run_scatter_add}},
      {op::conv_weight_gradient,
       {run_convolution_weight_gradient, convolution_weight_gradient_scratch, {k::turned_product}}},
      {op::max_pool_gradient, {run_pool_gradient}},
      {op::avg_pool_gradient, {run_pool_gradient}},
      {op::dropout_mask, {run_dropout_mask}},
      {op::time_step, {run_time_step}},
      {op::time_index, {run_time_index}},
      {op::stack, {run_stack}},
      {op::keep, {run_keep}},
      {op::cache, {run_cache}},
      {op::position, {run_position}},
      {op::outside, {run_outside}},
      {op::transpose, {run_copy, nullptr, {k::turn}}},
      {op::permute, {run_copy}},
      {op::slice, {run_copy}},
      {op::reverse, {run_copy}},
      {op::broadcast, {run_copy}},
  };
  for (const auto& one : rows)
    if (one.kind == kind) return one.row;
  if (operation_of(kind).of == family::reduction) return {run_reduce, nullptr, {k::reduce}};
  impossible("an operation without a step");
}

/// Whether a product's weights all stay in the first-level cache.
constexpr bool is_small_product(const graph_view& graph, const plan_view& plan, const step& s) {
  constexpr std::int64_t most = 8192; // floats
  std::int64_t floats = 0;
  for (int i = 0; i < s.count; ++i) {
    const shape& weight = graph.at(fixed_weight(graph, plan.product[plan.parts[s.first + i]])).shape;
    floats += graph.number(weight[0]) * graph.number(weight[1]);
  }
  return floats <= most;
}

/// The row of a step, empty for where a loop begins or ends.
constexpr step_row row_of(const graph_view& graph, const plan_view& plan, const step& s) {
  using k = kernel_name;
  switch (s.kind) {
    case step_kind::product:
      return {run_product,
              product_scratch,
              {k::pack, is_small_product(graph, plan, s) ? k::small_product : k::product}};
    case step_kind::matmul:
      if (plan.viewed[graph.operand(s.node, 0)]) return {run_matmul, matmul_scratch, {k::turned_product}};
      return {run_matmul, matmul_scratch, {k::pack, k::product}};
    case step_kind::convolution: {
      step_row row{run_convolution, convolution_scratch};
      for (int i = 0; i < s.count; ++i)
        if (weight_layout(graph, plan.product[plan.parts[s.first + i]]).depthwise())
          row.kernels |= {k::depthwise_convolution};
        else
          row.kernels |= {k::pack, k::convolution};
      return row;
    }
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
