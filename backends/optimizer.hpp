#pragma once

#include <cstddef>
#include <cstdint>

namespace fovea::core {

/// How an optimizer moves a parameter w by its gradient g = gradient_factor * gradient + weight_decay * w:
///   momentum  m = beta1 m + g;  w = w - rate m
///   nesterov  m = beta1 m + g;  w = w - rate (g + beta1 m)
///   squares   s = beta1 s + share g^2;  w = w - rate g / (sqrt(s) + epsilon)
///   adam      m = beta1 m + (1 - beta1) g;  s = beta2 s + (1 - beta2) g^2;
///             w = kept w - rate m / (root sqrt(s) + epsilon)
/// Moments that a rule does not have are null.
enum class optimizer_rule : std::uint8_t { momentum, nesterov, squares, adam };
struct optimizer_args {
  optimizer_rule rule = optimizer_rule::momentum;
  std::size_t count = 0;
  float* values = nullptr;
  const float* gradients = nullptr;
  float* moments[2] = {};
  float gradient_factor = 1, weight_decay = 0, rate = 0, beta1 = 0, beta2 = 0, share = 1, epsilon = 0,
        kept = 1, root = 1;
};

} // namespace fovea::core
