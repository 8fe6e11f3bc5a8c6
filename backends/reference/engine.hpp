#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fovea/backends/dropout.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core {

class reference_program;

/// The reference program behind the interface of a compiled model; one class for all models.
class reference_runner {
public:
  /// With `rounds` some products are of numbers rounded to bfloat16 (rounded_products).
  reference_runner(graph_view graph, model_parameters parameters, std::span<const std::int64_t> capacity,
                   bool rounds);

  void* input(std::size_t i, std::span<const std::int64_t> sizes);
  void run(std::span<const std::int64_t> sizes);
  const void* output(std::size_t i) const;
  /// To be called when parameters that are learned have changed.
  void parameters_changed();
  const model_parameters& parameters() const { return *parameters_; }
  void set_random(random_state random) { random_ = random; }

private:
  graph_view graph_;
  std::shared_ptr<const model_parameters> parameters_;
  std::shared_ptr<const reference_program> program_;
  std::vector<std::vector<float>> inputs_, outputs_; // int32 values in the same bytes
  random_state random_;
  bool rounds_;
};

/// Nothing is generated for the reference.
struct no_code {};

template <class model, bool rounds = false>
class reference_engine : public reference_runner {
public:
  reference_engine(model_parameters parameters, std::span<const std::int64_t> capacity, thread_supply,
                   no_code)
      : reference_runner(model::view, std::move(parameters), capacity, rounds) {}
  reference_engine(const reference_engine& other, std::span<const std::int64_t>) : reference_runner(other) {}

  /// Reads a copy of what it is given.
  template <std::size_t>
  bool lend(std::span<const float>) {
    return false;
  }
  std::int64_t arena_bytes() const { return 0; }
  thread_pool& pool() const { return *pool_; }

private:
  std::shared_ptr<thread_pool> pool_ = std::make_shared<thread_pool>(1);
};

} // namespace fovea::core
