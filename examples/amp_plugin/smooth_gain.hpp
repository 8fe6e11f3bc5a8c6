#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

namespace amp_plugin {

/// A loudness that moves over a block to what is asked for, so that a turned knob does not click.
class smooth_gain {
public:
  /// The next block begins at what it asks for.
  void reset() { last_.reset(); }
  /// to = gain x from, as many samples as `to` has; `from` may be `to`.
  void apply(const float* from, std::span<float> to, float decibels) {
    const float gain = std::pow(10.0f, decibels / 20), first = last_.value_or(gain);
    const float change = (gain - first) / static_cast<float>(to.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] * (first + static_cast<float>(i) * change);
    if (!to.empty()) last_ = gain;
  }

private:
  std::optional<float> last_;
};

} // namespace amp_plugin
