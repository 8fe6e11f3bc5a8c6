#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/runtime/decoding/next_token.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea::core {

struct bucket_options {
  std::size_t rows = 1; // examples of a batch
  std::uint64_t seed = 0;
  std::size_t bucket = 100; // batches whose examples are sorted by length together
};

/// Examples of unequal lengths in batches of nearly equal ones, so that little is padded: every epoch has
/// each example once, in an order of its own, and batch number i of the endless sequence of epochs is a
/// function of the seed and i alone. Lines with labels are examples by their length, parallel lines by the
/// longer side's or their sum.
class length_buckets {
public:
  /// Throws fovea::error where there are no examples, or no rows or batches.
  length_buckets(std::vector<std::size_t> lengths, bucket_options options);

  /// Batches of an epoch; the last examples of an epoch may make a batch of fewer rows.
  std::size_t count() const { return (lengths_.size() + options_.rows - 1) / options_.rows; }
  /// The numbers of the examples in batch i; valid until the next call.
  std::span<const std::size_t> batch(std::uint64_t i);

private:
  void begin(std::uint64_t epoch);

  std::vector<std::size_t> lengths_;
  bucket_options options_;
  std::uint64_t epoch_ = 0;
  std::vector<std::size_t> examples_; // of this epoch, batch behind batch
  std::vector<std::size_t> order_;    // of this epoch's batches
};

/// Some lines as a network takes them.
struct padded_lines {
  xt::xtensor<std::int32_t, 2> tokens;  // [rows, longest], `padding` behind the shorter ones
  xt::xtensor<std::int32_t, 1> lengths; // [rows]
};
padded_lines padded(std::span<const token_ids> lines, std::span<const std::size_t> which,
                    token_id padding = 0);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::bucket_options, core::length_buckets, core::padded, core::padded_lines;
} // namespace fovea
