#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fovea/backends/dropout.hpp>
#include <fovea/backends/optimizer.hpp>
#include <fovea/backends/output_watcher.hpp>
#include <fovea/backends/simd/explain.hpp>
#include <fovea/backends/simd/format_code.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core::simd {

/// An engine of a model that another file makes (backend.hpp says what its members do): who calls it compiles
/// no plan.
class any_engine {
public:
  virtual ~any_engine() = default;
  virtual std::unique_ptr<any_engine> copy(std::span<const std::int64_t> capacity) const = 0;
  virtual void* input(std::size_t i, std::span<const std::int64_t> sizes) = 0;
  virtual bool lend(std::size_t i, std::span<const float> values) = 0;
  virtual void run(std::span<const std::int64_t> sizes) = 0;
  virtual const void* output(std::size_t i) const = 0;
  virtual const model_parameters& parameters() const = 0;
  virtual void parameters_changed() = 0;
  virtual void set_random(random_state random) = 0;
  virtual thread_pool& pool() const = 0;
  virtual std::int64_t arena_bytes() const = 0;
  virtual const std::vector<output_part>& final_parts() = 0;
  virtual void watch(output_watcher& watcher) = 0;
  virtual void set_name(const char* name) = 0;
  virtual net_view view() const = 0;
  virtual const pieces& arena() const = 0;
};

/// What makes an engine, and what weights in a format need beside, or null.
struct engine_maker {
  std::unique_ptr<any_engine> (*make)(model_parameters parameters, std::span<const std::int64_t> capacity,
                                      thread_supply threads, const format_code* format) = nullptr;
  const format_code* format = nullptr;
};

/// The backend of a model whose engine another file makes.
struct elsewhere {
  using model_code = engine_maker;
  template <class M>
  static constexpr model_code code_of_model() {
    return {};
  }
  template <class M>
  class engine {
  public:
    engine(model_parameters parameters, std::span<const std::int64_t> capacity, thread_supply threads,
           const model_code& by)
        : made_(by.make(std::move(parameters), capacity, threads, by.format)) {}
    engine(const engine& other, std::span<const std::int64_t> capacity)
        : made_(other.made_->copy(capacity)) {}

    void* input(std::size_t i, std::span<const std::int64_t> sizes) { return made_->input(i, sizes); }
    template <std::size_t i>
    bool lend(std::span<const float> values) {
      return made_->lend(i, values);
    }
    void run(std::span<const std::int64_t> sizes) { made_->run(sizes); }
    const void* output(std::size_t i) const { return made_->output(i); }
    const model_parameters& parameters() const { return made_->parameters(); }
    void parameters_changed() { made_->parameters_changed(); }
    void set_random(random_state random) { made_->set_random(random); }
    thread_pool& pool() const { return made_->pool(); }
    std::int64_t arena_bytes() const { return made_->arena_bytes(); }
    const std::vector<output_part>& final_parts() { return made_->final_parts(); }
    void watch(output_watcher& watcher) { made_->watch(watcher); }
    void set_name(const char* name) { made_->set_name(name); }
    void explain(std::span<const std::int64_t> sizes, explanation& to) const {
      simd::explain(made_->view(), made_->arena(), sizes, to);
    }

  private:
    std::unique_ptr<any_engine> made_;
  };
  /// The same for weights in a format, with its kernels of the sets that are named.
  template <weight_format format, set_name... sets>
  static constexpr model_code in_format(model_code by) {
    if constexpr (format != weight_format::f32) by.format = &code_of_format<format, sets...>;
    return by;
  }
  static void update(const optimizer_args&) {}
};

} // namespace fovea::core::simd
