#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fovea::core {

/// What a step has cost in all calls. Text, kernel, weights and sizes are as explanations have them (explanation.hpp).
struct step_sum {
  int step = 0; // its number in the plan; -1: a stream's step of one position, which is one function
  std::string text, kernel, weights, sizes; // the kernel and the sizes of the last time
  std::int64_t times = 0, nanoseconds = 0;
  double flops = 0, parameter_bytes = 0, value_bytes = 0;
  double float_flops = 0; // of float32's, not of integers or bfloat16
};

/// The same of all nets of one model with as many threads, and of one instruction set.
struct net_sum {
  std::string model;
  std::size_t threads = 1;
  const char* set = "";       // the instruction set
  double parameter_bytes = 0; // that a call reads, each once
  std::int64_t calls = 0, nanoseconds = 0;
  std::vector<step_sum> steps;
};

/// Sums of all nets of the program, of calls that begin in its life.
class step_sums {
public:
  virtual ~step_sums() = default;
  /// Of calls that have ended.
  virtual std::vector<net_sum> of_nets() = 0;
};
/// What the kernels take.
std::unique_ptr<step_sums> sum_steps();

} // namespace fovea::core
