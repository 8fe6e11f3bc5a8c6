#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/backends/simd/weight_layout.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/dsl/plan/plan.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core::simd {

/// One axis of a convolution as ordinary ones see it: place p of the output, tap k is position p * step +
/// first + k * tap_step of the input, and tap first_tap + k * tap_stride of the weights.
///
/// A transposed convolution of stride s is s of these, one for each remainder r of the output's position by s
/// (Shi et al. 2016): the taps k for which r + padding - k * dilation is a multiple of s.
struct window_phase {
  size_t taps;
  std::ptrdiff_t step, first, tap_step;
  size_t first_tap, tap_stride;
};
window_phase phase_of(const sliding_window& w, int axis, bool transposed, int remainder);
/// How many phases there are on an axis.
inline int phases_of(const sliding_window& w, int axis, bool transposed) {
  return transposed ? w.stride[axis] : 1;
}

/// The weights of one product of one layer, as the kernels read them: the bias (zeros where there is none),
/// then the phases.
struct prepared_product {
  const float *bias, *weights;
};

/// Weights that belong to a product rather than to a parameter, since its window or norm has a part in them.
class prepared_weights {
public:
  /// Prepares them, anew where they are already.
  void prepare(const graph_view& graph, const plan_view& plan, const model_parameters& parameters,
               const kernel_table& kernels, thread_pool& pool);

  /// Of a product node: its layers follow each other. Null where it uses the parameter's own panels.
  const prepared_product* of(int id) const {
    const std::int32_t first = first_[static_cast<std::size_t>(id)];
    return first < 0 ? nullptr : products_.data() + first;
  }

private:
  std::vector<std::int32_t> first_; // for each node
  std::vector<prepared_product> products_;
  std::vector<std::shared_ptr<const packed>> kept_;
};

/// What code over one batch row reads of the parameters: of its products, then of its vectors; `within` is a
/// node of the code, whose layers count.
struct row_nodes {
  std::span<const int> products, vectors;
  int within = 0;
};

/// The parameters of such code, one after another as its `pack` takes them. The weights of a product are its
/// own, or where its window or norm has a part in them [outputs, taps, features], scaled.
class row_parameters {
public:
  /// Of one layer of the products, or with all_layers of each.
  static constexpr std::int64_t all_layers = -1;
  row_parameters(const graph_view& graph, const plan_view& plan, const model_parameters& parameters,
                 const row_nodes& nodes, std::int64_t layer);

  const row_parameter* data() const { return list_.data(); }

private:
  std::vector<row_parameter> list_;
  std::vector<std::vector<float>> arranged_;
};

/// All that such code reads, packed for it: `content` lists the products and vectors, and `its_code` packs them.
template <class content, class generated>
std::shared_ptr<const packed> packed_for(const generated& its_code, const model_parameters& parameters) {
  const auto all = [](const auto& list) {
    return std::span<const int>(list.nodes, static_cast<std::size_t>(list.count));
  };
  const row_nodes nodes{all(content::found.weights), all(content::found.vectors)};
  packed made(its_code.packed_floats);
  its_code.pack(
      row_parameters(content::g, plan_view{content::schedule}, parameters, nodes, row_parameters::all_layers)
          .data(),
      made.data());
  return std::make_shared<const packed>(std::move(made));
}

} // namespace fovea::core::simd
