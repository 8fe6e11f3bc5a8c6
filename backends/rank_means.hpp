#pragma once

#include <span>

namespace fovea::core {

/// The ranks that learn together, as the steps of a run see them that take a mean over all.
class rank_means {
public:
  virtual ~rank_means() = default;
  virtual int ranks() const noexcept = 0;
  /// Puts the mean over the ranks in the place of each value. It throws nothing.
  virtual void take_mean(std::span<float> values) noexcept = 0;
};

} // namespace fovea::core
