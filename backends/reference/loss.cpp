#include <fovea/backends/reference/loss.hpp>

#include <fovea/backends/reference/norm.hpp>

namespace fovea::core::reference_ops {

array cross_entropy(const array& x, const array& targets, double smoothing) {
  const std::size_t last = x.dimension() - 1, classes = x.shape(last);
  const array y = log_softmax(x, last);
  array loss = filled(shape_of(targets), 0);
  for (std::size_t row = 0; row < loss.size(); ++row)
    for (std::size_t c = 0; c < classes; ++c) {
      const double log_probability = y.data()[row * classes + c];
      if (targets.data()[row] == static_cast<double>(c))
        loss.data()[row] -= (1 - smoothing) * log_probability;
      if (smoothing > 0) loss.data()[row] -= smoothing * log_probability / static_cast<double>(classes);
    }
  return loss;
}

array cross_entropy_gradient(const array& x, const array& targets, const array& d, double smoothing) {
  const std::size_t last = x.dimension() - 1, classes = x.shape(last);
  array made = softmax(x, last);
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const double target = targets.data()[row];
    const bool counts = target >= 0 && target < static_cast<double>(classes);
    for (std::size_t c = 0; c < classes; ++c) {
      double& of = made.data()[row * classes + c];
      const double from_target = counts ? of - (target == static_cast<double>(c) ? 1 : 0) : 0;
      const double from_all = of - 1 / static_cast<double>(classes);
      of = d.data()[row] * ((1 - smoothing) * from_target + smoothing * from_all);
    }
  }
  return made;
}

} // namespace fovea::core::reference_ops
