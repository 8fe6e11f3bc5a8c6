#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace train_classifier {

/// Which examples are learned from, which say when to stop, and which are looked at once at the end.
struct split {
  std::vector<std::size_t> learned = {}, held_out = {}, test = {};
};

/// All examples in an order drawn by the seed, dealt out: one of `folds` parts to test by, fold 0 to folds -
/// 1, where there are any, and of the others the share `validation` to hold out. Throws fovea::error where a
/// part would be empty.
split split_of(std::size_t count, std::size_t fold, std::size_t folds, double validation, std::uint64_t seed);

} // namespace train_classifier
