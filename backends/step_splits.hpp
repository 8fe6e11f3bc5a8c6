#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fovea::core {

/// How a step falls into tasks that threads share. Text, kernel and sizes are as explanations have them (explanation.hpp).
///   tasks    that it hands out in one pass, most of its work at once
///   cost     of all passes, in multiply-adds and elements as the plan estimates them (work.hpp), in nanoseconds
///   busiest  when the last thread ends, added up over all passes: cost where one thread does all
struct step_split {
  int step = 0; // its number in the plan
  std::string text, kernel, sizes;
  std::size_t tasks = 0;
  std::int64_t times = 0;
  double cost = 0, busiest = 0;
};

/// The same of all nets of one model with as many threads, in the order in which steps run.
struct net_splits {
  std::string model;
  std::size_t threads = 1;
  std::int64_t calls = 0;
  std::vector<step_split> steps;
};

/// Splits of all nets of the program, of calls in its life.
class step_splits {
public:
  virtual ~step_splits() = default;
  /// Of calls that have ended.
  virtual std::vector<net_splits> of_nets() = 0;
};
std::unique_ptr<step_splits> split_steps();

} // namespace fovea::core
