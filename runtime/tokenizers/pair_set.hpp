#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea::core {

/// Pairs of ids, each a number of 64 bits but for the largest. They lie in one table, a power of two, at most half full.
class pair_set {
public:
  void insert(std::uint64_t pair) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    std::uint64_t& slot = slots_[place_of(pair)];
    used_ += slot == free_slot;
    slot = pair;
  }
  bool contains(std::uint64_t pair) const { return used_ > 0 && slots_[place_of(pair)] == pair; }

private:
  static constexpr std::uint64_t free_slot = ~std::uint64_t{0};

  /// The place that holds the pair, or the free one where it belongs.
  std::size_t place_of(std::uint64_t pair) const {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t hash = pair * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (slots_[at] != pair && slots_[at] != free_slot) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    constexpr std::size_t first_size = 1024;
    std::vector<std::uint64_t> before(slots_.empty() ? first_size : 4 * slots_.size(), free_slot);
    before.swap(slots_);
    for (const std::uint64_t pair : before)
      if (pair != free_slot) slots_[place_of(pair)] = pair;
  }

  std::vector<std::uint64_t> slots_;
  std::size_t used_ = 0;
};

} // namespace fovea::core
