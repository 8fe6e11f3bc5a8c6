#pragma once

#include <fovea/runtime/tokenizers/lying_table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fovea::core {

/// Pairs of ids, each a number of 64 bits but for the largest. They lie in one table, a power of two, at most half full.
class pair_set {
public:
  static constexpr std::uint64_t free_slot = ~std::uint64_t{0};

  pair_set() = default;
  /// Looks into slots where they lie: none, or a power of two, of which one is free.
  explicit pair_set(std::span<const std::uint64_t> lying)
      : slots_(lying), used_(lying.size() - static_cast<std::size_t>(std::ranges::count(lying, free_slot))) {}
  std::span<const std::uint64_t> slots() const { return slots_.all(); }

  void insert(std::uint64_t pair) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    slots_.change([&, at = place_of(slots_.all(), pair)](auto& all) {
      used_ += all[at] == free_slot;
      all[at] = pair;
    });
  }
  bool contains(std::uint64_t pair) const {
    return used_ > 0 && slots_[place_of(slots_.all(), pair)] == pair;
  }

private:
  /// The place that holds the pair, or the free one where it belongs.
  static std::size_t place_of(std::span<const std::uint64_t> slots, std::uint64_t pair) {
    const std::size_t mask = slots.size() - 1;
    std::uint64_t hash = pair * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (slots[at] != pair && slots[at] != free_slot) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    constexpr std::size_t first_size = 1024;
    std::vector<std::uint64_t> grown(std::max(first_size, 4 * slots_.size()), free_slot);
    for (const std::uint64_t pair : slots_.all())
      if (pair != free_slot) grown[place_of(grown, pair)] = pair;
    slots_ = std::move(grown);
  }

  lying_table<std::uint64_t> slots_;
  std::size_t used_ = 0;
};

} // namespace fovea::core
