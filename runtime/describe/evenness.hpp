#pragma once

#include <fovea/backends/step_splits.hpp>

#include <memory>
#include <ostream>
#include <vector>

namespace fovea::core {

/// How evenly threads share a step: `even` is its cost by what all threads together take until the last one ends, 1 at
/// best. One of two threads that does all alone makes it 0.5.
struct shared_step : step_split {
  std::string model;
  std::size_t threads = 1;
  double even = 1;
};

/// Tells how the steps of nets that are called in its life fall into tasks, and how evenly as many threads as a net has
/// would share them: by the tasks that a call hands out, what they cost as the plan estimates it, and the order in which
/// the pool hands them to threads. It measures no time. A net by an executor has as many threads as it is told, whatever
/// the machine has.
class evenness {
public:
  evenness();
  ~evenness();
  evenness(const evenness&) = delete;
  evenness& operator=(const evenness&) = delete;

  /// Of calls that have ended, those that hand out work, in the order in which they run.
  std::vector<shared_step> steps() const;
  /// Of all steps together, by what they cost; 1 where there is none.
  double of_all() const;
  /// As a table; nothing where no net was called.
  void print(std::ostream& out) const;

private:
  std::unique_ptr<step_splits> splits_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::evenness, core::shared_step;
} // namespace fovea
