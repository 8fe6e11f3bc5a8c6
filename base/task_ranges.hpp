#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace fovea::core {

// How threads share tasks (threads.hpp): what the pool does, and what tells beforehand how even that is.

/// Each thread begins with a part of the tasks: part `i` of `threads` begins here and ends where the next one begins.
constexpr std::size_t first_of_part(std::size_t tasks, std::size_t threads, std::size_t i) {
  return tasks * i / threads;
}

/// How many tasks a thread takes at once of those that a part has left, [next, end): large ranges first, for neighbours
/// share what a cache holds; single tasks last, for all to end together. Where neighbours begin with the same work
/// (task_order), ranges end where those do, and the last ones are halves.
constexpr std::size_t taken_at_once(std::size_t next, std::size_t end, std::size_t together = 1) {
  const std::size_t left = end - next, some = std::max<std::size_t>(1, left / 4);
  if (together == 1) return some;
  if (left < 2 * together) return (left + 1) / 2;
  return (next + std::max(some, together)) / together * together - next;
}

/// When the last thread ends, where all begin at once and task i takes cost(i): what threads share evenly ends at the sum
/// of all costs by their number. Time is in the unit of costs. What neighbours begin with counts as if each did it.
double busiest_thread(std::size_t threads, std::size_t tasks, const std::function<double(std::size_t)>& cost,
                      std::size_t together = 1);

} // namespace fovea::core
