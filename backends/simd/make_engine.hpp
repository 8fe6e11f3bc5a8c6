#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <fovea/backends/simd/engine_elsewhere.hpp>
#include <fovea/backends/simd/model_engine.hpp>

namespace fovea::core::simd {

/// The engine of a declared model, for callers in other files.
template <class M>
class made_engine final : public any_engine {
public:
  template <class... from>
  explicit made_engine(from&&... parts) : engine_(std::forward<from>(parts)...) {}

  std::unique_ptr<any_engine> copy(std::span<const std::int64_t> capacity) const override {
    return std::make_unique<made_engine>(engine_, capacity);
  }
  void* input(std::size_t i, std::span<const std::int64_t> sizes) override { return engine_.input(i, sizes); }
  bool lend(std::size_t i, std::span<const float> values) override {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return ((k == i && engine_.template lend<k>(values)) || ...);
    }
    (std::make_index_sequence<M::view.inputs.size()>{});
  }
  void run(std::span<const std::int64_t> sizes) override { engine_.run(sizes); }
  const void* output(std::size_t i) const override { return engine_.output(i); }
  const model_parameters& parameters() const override { return engine_.parameters(); }
  void parameters_changed() override { engine_.parameters_changed(); }
  void set_random(random_state random) override { engine_.set_random(random); }
  thread_pool& pool() const override { return engine_.pool(); }
  std::int64_t arena_bytes() const override { return engine_.arena_bytes(); }
  const std::vector<output_part>& final_parts() override { return engine_.final_parts(); }
  void watch(output_watcher& watcher) override { engine_.watch(watcher); }
  void set_name(const char* name) override { engine_.set_name(name); }
  net_view view() const override { return engine_.view(); }
  const pieces& arena() const override { return engine_.arena(); }

private:
  model_engine<M> engine_;
};

/// Of the code that `code()` gives.
template <class M, const generated_model& (*code)()>
std::unique_ptr<any_engine> make_engine(model_parameters parameters, std::span<const std::int64_t> capacity,
                                        thread_supply threads, const format_code* format) {
  model_code steps = code().steps;
  steps.format = format;
  return std::make_unique<made_engine<M>>(std::move(parameters), capacity, threads, steps);
}

} // namespace fovea::core::simd
