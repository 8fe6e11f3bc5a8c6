#pragma once

#include <fovea/runtime/decoding/random.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace fovea::core {

/// 0 to count - 1 in an order of their own for each seed and round, all orders alike likely (Fisher and Yates
/// 1938).
inline std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, std::uint64_t round = 0) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(uniform(seed, round, i) * static_cast<double>(i))]);
  return order;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::shuffled;
} // namespace fovea
