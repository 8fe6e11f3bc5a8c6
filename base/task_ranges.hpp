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

/// How many tasks a thread takes at once of a part that has so many left: large ranges first, for neighbours share what a
/// cache holds; single tasks last, for all to end together.
constexpr std::size_t taken_at_once(std::size_t left) { return std::max<std::size_t>(1, left / 4); }

/// When the last thread ends, where all begin at once and task i takes cost(i): what threads share evenly ends at the sum
/// of all costs by their number. Time is in the unit of costs.
double busiest_thread(std::size_t threads, std::size_t tasks, const std::function<double(std::size_t)>& cost);

} // namespace fovea::core
