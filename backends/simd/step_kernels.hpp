#pragma once

#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/backends/simd/weight_layout.hpp>
#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::simd {

/// The kernels that an operation calls where it is a step by itself.
constexpr kernel_names kernels_of(op kind) {
  using k = kernel_name;
  switch (kind) {
    case op::attention:
      return {k::attention};
    case op::attention_map:
      return {k::pack, k::product, k::softmax};
    case op::attention_gradient:
      return {k::pack, k::product, k::turned_product, k::attention_gradient};
    case op::layer_norm:
      return {k::layer_norm};
    case op::rms_norm:
      return {k::rms_norm};
    case op::layer_norm_gradient:
      return {k::layer_norm_gradient, k::reduce};
    case op::rms_norm_gradient:
      return {k::rms_norm_gradient, k::reduce};
    case op::softmax:
      return {k::softmax};
    case op::log_softmax:
      return {k::log_softmax};
    case op::cross_entropy:
      return {k::cross_entropy};
    case op::cross_entropy_gradient:
      return {k::cross_entropy_gradient};
    case op::cumsum:
      return {k::cumsum};
    case op::argmax:
      return {};
    case op::gather:
      return {k::gather};
    case op::expert_linear:
    case op::expert_linear_gradient:
      return {k::pack, k::product};
    case op::expert_weight_gradient:
      return {k::turned_product};
    case op::max_pool:
    case op::avg_pool:
      return {k::pool};
    case op::stft:
      return {k::stft};
    case op::stft_transposed:
      return {k::stft_transposed};
    case op::conv_weight_gradient:
      return {k::turned_product};
    case op::cache:
      return {k::keep};
    case op::transpose:
      return {k::turn};
    default:
      return operation_of(kind).of == family::reduction ? kernel_names{k::reduce} : kernel_names{};
  }
}

/// Floats of weights that all stay in the first-level cache.
inline constexpr std::int64_t most_small_weights = 8192;

/// Whether those of a product do.
constexpr bool is_small_product(const graph_view& graph, const plan_view& plan, const step& s) {
  std::int64_t floats = 0;
  for (int i = 0; i < s.count; ++i) {
    const shape& weight = graph.at(fixed_weight(graph, plan.product[plan.parts[s.first + i]])).shape;
    floats += graph.number(weight[0]) * graph.number(weight[1]);
  }
  return floats <= most_small_weights;
}

/// Whether those of a convolution over time do, whose windows all lie inside, as a stream's do.
constexpr bool is_small_convolution(const graph_view& graph, const plan_view& plan, int root) {
  const weight_layout layout(graph, plan.product[root]);
  const sliding_window& w = layout.window;
  const auto floats = static_cast<std::int64_t>(layout.in * layout.out) * w.taps();
  return w.axes == 1 && w.groups == 1 && w.padding(1) == 0 && !layout.transposed && !plan.largest[root] &&
         floats <= most_small_weights;
}

/// The kernels of a step, none where a loop begins or ends.
constexpr kernel_names kernels_of(const graph_view& graph, const plan_view& plan, const step& s) {
  using k = kernel_name;
  switch (s.kind) {
    case step_kind::product:
      return {k::pack, is_small_product(graph, plan, s) ? k::small_product : k::product};
    case step_kind::matmul:
      if (plan.viewed[graph.operand(s.node, 0)]) return {k::turned_product};
      return {k::pack, k::product};
    case step_kind::convolution: {
      kernel_names all;
      for (int i = 0; i < s.count; ++i)
        if (is_depthwise(graph, plan.product[plan.parts[s.first + i]]))
          all |= {k::depthwise_convolution};
        else if (is_by_time_tiles(graph, plan.product[plan.parts[s.first + i]]))
          all |= {k::pack, k::winograd_time_convolution};
        else if (is_by_tiles(graph, plan.product[plan.parts[s.first + i]]))
          all |= {k::pack, k::winograd_convolution};
        else if (is_small_convolution(graph, plan, plan.parts[s.first + i]))
          all |= {k::pack, k::small_convolution};
        else
          all |= {k::pack, k::convolution};
      return all;
    }
    case step_kind::single:
      return kernels_of(graph.at(s.node).kind);
    default:
      return {};
  }
}

} // namespace fovea::core::simd
