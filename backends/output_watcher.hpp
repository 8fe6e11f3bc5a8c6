#pragma once

#include <cstddef>

namespace fovea::core {

/// So many elements of an output, from `first` on.
struct output_part {
  std::size_t output, first, count;
};

/// Hears of a run while it goes on, between its steps. It throws nothing.
class output_watcher {
public:
  virtual ~output_watcher() = default;
  /// Part i of the engine's final_parts() is as it will be, and lies at `values` until the next run.
  virtual void take(std::size_t i, const float* values) noexcept = 0;
  /// A step is over, and what it has made final was given.
  virtual void after_step() noexcept = 0;
};

} // namespace fovea::core
