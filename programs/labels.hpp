#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fovea::programs {

/// The labels that a model's scores stand for.
class labels {
public:
  /// No names: they are numbers. Throws fovea::error where there are others than `count`, that of the scores.
  labels(std::vector<std::string> names, std::size_t count);

  /// The most probable one, by the probabilities of all.
  struct choice {
    std::size_t index;
    double probability;
  };
  static choice best(std::span<const double> probabilities);
  /// Of each, in order: softmax of the scores.
  static std::vector<double> probabilities(std::span<const float> scores);
  /// "2" where no names are known.
  std::string name(std::size_t index) const;

private:
  std::vector<std::string> names_;
};

} // namespace fovea::programs
