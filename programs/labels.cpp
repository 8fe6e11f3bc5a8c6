#include <fovea/programs/labels.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <cmath>

namespace fovea::programs {

labels::labels(std::vector<std::string> names, std::size_t count) : names_(std::move(names)) {
  if (!names_.empty() && names_.size() != count)
    throw error("the program is built with " + std::to_string(names_.size()) + " labels; expected " +
                std::to_string(count) + ", as many as the model has scores");
}

std::vector<double> labels::probabilities(std::span<const float> scores) {
  const auto largest = static_cast<double>(std::ranges::max(scores));
  std::vector<double> shares;
  double sum = 0;
  for (const float score : scores) sum += shares.emplace_back(std::exp(static_cast<double>(score) - largest));
  for (double& share : shares) share /= sum;
  return shares;
}

labels::choice labels::best(std::span<const double> probabilities) {
  const auto largest = std::ranges::max_element(probabilities);
  return {static_cast<std::size_t>(largest - probabilities.begin()), *largest};
}

std::string labels::name(std::size_t index) const {
  return names_.empty() ? std::to_string(index) : names_[index];
}

} // namespace fovea::programs
