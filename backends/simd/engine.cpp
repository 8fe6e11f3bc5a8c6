#include <fovea/backends/simd/engine.hpp>

#include <string>

#include <fovea/backends/simd/isa/dispatch.hpp>

namespace fovea::simd {

shared_weights::shared_weights(const graph_view& graph, const plan_view& plan, std::span<const bool> live,
                               model_parameters from, const kernel_table& kernels, thread_pool& pool)
    : parameters(std::move(from)) {
  for (const weight_view& view : parameters.values()) values.push_back(view.data);
  panels.assign(2 * values.size(), nullptr);
  for (int id = 0; id < graph.node_count(); ++id) {
    const int weight = packed_weight(graph, id);
    if (weight < 0 || !live[static_cast<std::size_t>(id)]) continue;
    const bool from_columns =
        graph.at(id).kind == op::matmul && graph.at(graph.operand(id, 1)).kind != op::transpose;
    const shape& s = graph.at(weight).shape;
    const auto rows = static_cast<size_t>(graph.number(s[0])),
               columns = static_cast<size_t>(graph.number(s[1]));
    const int p = graph.at(weight).attributes[0];
    for (std::int64_t layer = 0; layer < graph.layers(weight); ++layer) {
      const auto i = static_cast<std::size_t>(parameters.first(p) + layer);
      const float*& panel = panels[2 * i + from_columns];
      if (panel != nullptr) continue;
      pack_args pack{.b = values[i],
                     .columns = from_columns ? columns : rows,
                     .depth = from_columns ? rows : columns,
                     .column_stride = from_columns ? 1 : columns,
                     .depth_stride = from_columns ? columns : 1};
      const std::string key =
          parameters.name(p, layer) + (from_columns ? " columns " : " rows ") + kernels.instruction_set;
      kept.push_back(parameters.source().packed_copy(key, [&] {
        packed made(panel_floats(kernels.panel, pack.columns, pack.depth));
        pack.panels = made.data();
        pool.run(kernels.pack_tasks(pack),
                 [&](size_t first, size_t last, size_t) { kernels.pack(pack, first, last); });
        return made;
      }));
      panel = kept.back()->data();
    }
  }
  static_cast<void>(plan);
}

engine::engine(const graph_view& graph, const plan_view& plan, std::shared_ptr<const shared_weights> weights,
               std::span<const std::int64_t> capacity, std::shared_ptr<thread_pool> pool)
    : graph_(graph), plan_(plan), weights_(std::move(weights)), pool_(std::move(pool)) {
  size_t total = 0;
  for (int i = 0; i < plan.slot_count; ++i) {
    offsets_.push_back(total);
    const auto size_of = [capacity](int d) { return capacity[static_cast<std::size_t>(d)]; };
    total += static_cast<size_t>((plan.slots[i].evaluate(size_of) * 4 + 127) / 64 * 16);
  }
  arena_ = buffer::from_shape({total});
  arena_.fill(0);
  slots_.resize(offsets_.size());
  layers_.assign(graph.regions.size(), 0);
}

context engine::begin(std::span<const std::int64_t> sizes) {
  for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i] = arena_.data() + offsets_[i];
  return {graph_,
          plan_,
          kernels(),
          *pool_,
          slots_.data(),
          weights_->values.data(),
          weights_->panels.data(),
          weights_->parameters.first().data(),
          sizes.data(),
          layers_.data(),
          scratch_.data(),
          scratch_stride_};
}

void engine::reserve_scratch(size_t floats_a_thread) {
  scratch_stride_ = (floats_a_thread + 31) / 16 * 16; // a line between threads
  scratch_ = buffer::from_shape({scratch_stride_ * pool_->size()});
  scratch_.fill(0);
}

} // namespace fovea::simd
