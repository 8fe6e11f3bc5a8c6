#pragma once

#include <fovea/backends/step_sums.hpp>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace fovea::core {

/// What a step has cost in all calls of all nets of one model with as many threads.
struct profiled_step : step_sum {
  std::string model;
  double share = 0; // of the time of all calls
  /// How much of what the machine can do at best it reached: the time that its FLOPs take at the measured rate of
  /// multiply-adds, or its bytes at the measured bandwidth, whichever is longer, by the time that it took. Of products
  /// that sum integers or bf16 it is the bytes alone. Negative where it was not asked for.
  double of_limit = -1;
};

/// Measures the steps of all nets of the program that are called in its life, by its thread and others. What is
/// measured takes some tenths of a microsecond a step more.
class profile {
public:
  profile();
  ~profile();
  profile(const profile&) = delete;
  profile& operator=(const profile&) = delete;

  /// The steps of calls that have ended, the longest in all first. `limits` measures what the machine can do, which takes
  /// some hundredths of a second for each kind of step.
  std::vector<profiled_step> steps(bool limits = true) const;
  /// As a table; nothing where no net was called.
  void print(std::ostream& out) const;

private:
  std::unique_ptr<step_sums> sums_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::profile, core::profiled_step;
} // namespace fovea
