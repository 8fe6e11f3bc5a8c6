#pragma once

#include <fovea/backends/xtensor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea::core::detail {

/// A row of [frames, n].
inline std::span<const float> frame_of(const xt::xtensor<float, 2>& frames, std::size_t frame) {
  const std::size_t n = frames.shape()[1];
  return {frames.data() + frame * n, n};
}

/// log(exp(a) + exp(b)).
double log_sum(double a, double b);

/// Throws fovea::error, begun by the word, where the blank is no class.
void check_blank(const char* word, std::int32_t blank, std::size_t classes);

/// The class that scores highest; of equal scores the smaller class. Throws fovea::error where a score is NaN.
std::int32_t best_class(const char* word, std::span<const float> scores);

/// log of the softmax of scores. Throws fovea::error where a score is NaN or plus infinity, or no class is possible.
void log_probabilities_of(const char* word, std::span<const float> scores, std::span<double> to);

} // namespace fovea::core::detail
