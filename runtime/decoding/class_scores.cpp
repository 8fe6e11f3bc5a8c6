#include <fovea/runtime/decoding/class_scores.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace fovea::core::detail {

double log_sum(double a, double b) {
  constexpr double impossible = -std::numeric_limits<double>::infinity();
  const double most = std::max(a, b);
  return most == impossible ? impossible : most + std::log1p(std::exp(std::min(a, b) - most));
}

void check_blank(const char* word, std::int32_t blank, std::size_t classes) {
  if (blank < 0 || static_cast<std::size_t>(blank) >= classes)
    throw error(std::string(word) + ": expected a blank of 0 to " + std::to_string(classes - 1) + "; found " +
                std::to_string(blank));
}

std::int32_t best_class(const char* word, std::span<const float> scores) {
  for (const float x : scores)
    if (std::isnan(x)) throw error(std::string(word) + ": expected scores of numbers; found nan");
  return static_cast<std::int32_t>(std::ranges::max_element(scores) - scores.begin());
}

void log_probabilities_of(const char* word, std::span<const float> scores, std::span<double> to) {
  const double most = *std::ranges::max_element(scores);
  double sum = 0;
  for (const float x : scores) {
    if (std::isnan(x) || x == std::numeric_limits<float>::infinity())
      throw error(std::string(word) + ": expected scores of numbers or minus infinity; found " +
                  std::to_string(x));
    sum += std::exp(x - most);
  }
  if (!(sum > 0))
    throw error(std::string(word) + ": expected a class that is possible in each frame; found none");
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = scores[k] - most - std::log(sum);
}

} // namespace fovea::core::detail
