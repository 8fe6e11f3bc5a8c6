#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fovea/backends/simd/engine.hpp>
#include <fovea/backends/simd/explain.hpp>
#include <fovea/backends/simd/generate.hpp>
#include <fovea/backends/simd/lower.hpp>
#include <fovea/backends/stream_state.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core::simd {

/// The kernels and the plan of one declared model.
template <class declared>
class model_engine {
public:
  using model = typename declared::lowered;
  static constexpr graph_view graph = model::view;
  static constexpr plan_view plan{model::schedule};

  model_engine(model_parameters parameters, std::span<const std::int64_t> capacity, thread_supply threads,
               const model_code& code)
      : code_(code.steps), pool_(pool_of(threads)),
        weights_(std::make_shared<shared_weights>(graph, plan, std::move(parameters), code, *pool_)),
        engine_(graph, plan, weights_, capacity, pool_) {
    pack_scans();
    make_ready(capacity);
  }
  model_engine(const model_engine& other, std::span<const std::int64_t> capacity)
      : code_(other.code_), pool_(pool_of(other.pool_->supply())), weights_(other.weights_),
        engine_(graph, plan, weights_, capacity, pool_) {
    make_ready(capacity);
  }

  void* input(std::size_t i, std::span<const std::int64_t> sizes) {
    engine_.give_back(i);
    return engine_.begin(sizes).result(graph.inputs[i].node);
  }
  /// Has the next call read an input from where it lies. False where that can't be: then it must be copied.
  template <std::size_t i>
  bool lend(std::span<const float> values) {
    if constexpr (may_be_lent(graph.inputs[i].node))
      return engine_.lend(i, values);
    else
      return false;
  }
  void run(std::span<const std::int64_t> sizes) {
    engine_.expect(sizes);
    context c = engine_.begin(sizes);
    engine_.begin_call(c, sizes, code_);
    program<model, 0, model::schedule.step_count>::run(c, code_);
    for (std::size_t i = 0; i < graph.outputs.size(); ++i)
      outputs_[i] = engine_.output(c, graph.outputs[i].node);
    engine_.end_call(c);
  }
  const void* output(std::size_t i) const { return outputs_[i]; }
  const model_parameters& parameters() const { return weights_->parameters; }
  /// To be called when parameters that are learned have changed.
  void parameters_changed() {
    weights_->pack_again(graph, plan, *pool_);
    pack_scans();
  }
  thread_pool& pool() const { return *pool_; }
  void set_random(random_state random) { engine_.set_random(random); }
  std::int64_t arena_bytes() const { return engine_.arena_bytes(); }
  const std::vector<output_part>& final_parts() { return engine_.final_parts(); }
  void watch(output_watcher& watcher) { engine_.watch(watcher); }
  void leave_out(std::span<const std::size_t> outputs) { engine_.leave_out(outputs); }
  const std::vector<bool>& left_out() const { return engine_.left_out(); }

  // For what is told of it.

  void set_name(const char* name) { engine_.set_name(name); }
  net_view view() const { return engine_.view(code_); }
  const pieces& arena() const { return engine_.arena(); }
  void explain(std::span<const std::int64_t> sizes, explanation& to) const {
    simd::explain(view(), arena(), sizes, to);
  }
  static bool is_measured() { return simd::engine::are_wanted(); }
  void begin_position(std::span<const std::int64_t> sizes) { engine_.begin_position(sizes, code_); }
  void end_position() { engine_.end_position(); }

  // Of a stream.

  void set_states(std::vector<kept_state> states) { engine_.set_states(std::move(states)); }
  void set_position(const row_position& at, std::size_t window_start, std::span<const row_position> rows,
                    std::span<const std::int64_t> sizes) {
    engine_.set_position(at, window_start, rows, sizes);
  }
  void go_beyond(std::size_t rows) { engine_.go_beyond(rows); }

private:
  /// Not what scans read: small ones go beyond the end of a row.
  static constexpr bool may_be_lent(int input) {
    for (int id = 0; id < graph.node_count(); ++id)
      if (graph.at(id).kind == op::time_step && plan.base[graph.operand(id, 0)] == input) return false;
    return true;
  }
  void pack_scans() {
    for_steps<model>([](std::size_t i) { return small_scans<model>[i]; },
                     [&]<int k>(std::integral_constant<int, k>) {
                       weights_->pack_scan(graph, plan, nodes_of_scan<model, k>(), code_[k]);
                     });
  }
  /// Takes what memory the steps need, and runs those that run once.
  void make_ready(std::span<const std::int64_t> capacity) {
    context unready = engine_.begin(capacity);
    engine_.reserve_scratch(scratch_of_steps<model>(unready, code_));
    context c = engine_.begin(capacity);
    for_steps<model>([](std::size_t i) { return model::schedule.steps[i].once; },
                     [&]<int i>(std::integral_constant<int, i>) { lowered<model, i>{}(c, code_); });
  }

  const generated_step* code_;
  std::shared_ptr<thread_pool> pool_;
  std::shared_ptr<shared_weights> weights_;
  engine engine_;
  std::array<const void*, model::view.outputs.size()> outputs_{};
};

} // namespace fovea::core::simd
