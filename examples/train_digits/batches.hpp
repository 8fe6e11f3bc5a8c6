#pragma once

#include "idx.hpp"

#include <fovea/backends/xtensor.hpp>

#include <cstdint>
#include <span>

namespace train_digits {

/// Some images as a network takes them.
struct batch {
  xt::xtensor<float, 4> pixels; // [rows, side, side, 1], 0 to 1
  xt::xtensor<int, 1> targets;  // [rows]
};

batch batch_of(const digits& from, std::span<const std::size_t> which);

/// The same, each image moved by up to `shift` pixels up, down, left and right, all places alike likely, by
/// the seed and the number of the batch; what comes in is ground.
batch shifted_batch_of(const digits& from, std::span<const std::size_t> which, int shift, std::uint64_t seed,
                       std::uint64_t number);

} // namespace train_digits
