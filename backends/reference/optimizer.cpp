#include <fovea/backends/reference/backend.hpp>

#include <cmath>

namespace fovea::core {

// Each number by itself, as the papers say it: the optimizers in runtime/training/optimizer.hpp name them.
void reference::update(const optimizer_args& a) {
  const double rate = a.rate, beta1 = a.beta1, beta2 = a.beta2;
  for (std::size_t i = 0; i < a.count; ++i) {
    const double before = a.values[i],
                 g = static_cast<double>(a.gradient_factor) * static_cast<double>(a.gradients[i]) +
                     static_cast<double>(a.weight_decay) * before;
    const auto moment = [&](int k, double kept, double taken) {
      float& stored = a.moments[k][i];
      const double now = kept * static_cast<double>(stored) + taken;
      stored = static_cast<float>(now);
      return now;
    };
    double w = before;
    switch (a.rule) {
      case optimizer_rule::momentum:
        w -= rate * moment(0, beta1, g);
        break;
      case optimizer_rule::nesterov:
        w -= rate * (g + beta1 * moment(0, beta1, g));
        break;
      case optimizer_rule::squares:
        w -= rate * g / (std::sqrt(moment(0, beta1, static_cast<double>(a.share) * g * g)) + a.epsilon);
        break;
      case optimizer_rule::adam: {
        const double mean = moment(0, beta1, (1 - beta1) * g),
                     squares = moment(1, beta2, (1 - beta2) * g * g);
        w = a.kept * before - rate * mean / (a.root * std::sqrt(squares) + a.epsilon);
      }
    }
    a.values[i] = static_cast<float>(w);
  }
}

} // namespace fovea::core
