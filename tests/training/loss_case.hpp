#pragma once

// Models with an output "loss" against the reference cases that have a loss of their own: the loss and the
// gradient of every parameter, on both backends.

#include "../run_model.hpp"

namespace fovea::core::test {

template <class M>
void check_loss(const M& model, const golden_case& c, const named_values& inputs) {
  static_assert(fovea::core::detail::find_loss(M::view) >= 0);
  check_gradients(model, c, weights_of(c), inputs);
}

/// The inputs of a language model, whose case scores at each position but the last the token that follows.
inline named_values next_token_inputs(const golden_case& c) {
  named_values made = inputs_of(c, {{"tokens", "ids"}, {"targets", "ids"}});
  golden_tensor& targets = made.at("targets");
  const std::size_t length = targets.shape[1];
  for (std::size_t i = 0; i < targets.values.size(); ++i)
    targets.values[i] = (i + 1) % length == 0 ? -100 : targets.values[i + 1];
  return made;
}

/// How many of a row's positions are text, from the case's mask [B, T] of ones and zeros.
inline golden_tensor lengths_of_mask(const golden_case& c) {
  const golden_tensor& mask = c.at("input.attention_mask");
  golden_tensor made{{mask.shape[0]}, std::vector<double>(mask.shape[0]), true};
  for (std::size_t i = 0; i < mask.values.size(); ++i) made.values[i / mask.shape[1]] += mask.values[i];
  return made;
}

} // namespace fovea::core::test
