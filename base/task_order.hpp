#pragma once

#include <cstddef>

namespace fovea::core {

/// How threads go through tasks.
///   backward  each thread begins at the end of its part; then `together` is 1
///   together  so many neighbours, counted from the first task, begin with work that one thread does once for those of them
///             that it takes at once
struct task_order {
  bool backward = false;
  std::size_t together = 1;
};

} // namespace fovea::core
