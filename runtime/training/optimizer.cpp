#include <fovea/runtime/training/optimizer.hpp>

#include <cmath>

namespace fovea::core {

namespace {

optimizer_args begin(optimizer_rule rule, const parameter_update& u, double rate, double weight_decay) {
  return {.rule = rule,
          .count = u.count,
          .values = u.values,
          .gradients = u.gradients,
          .moments = {u.moments[0], u.moments[1]},
          .gradient_factor = static_cast<float>(u.gradient_factor),
          .weight_decay = static_cast<float>(weight_decay),
          .rate = static_cast<float>(rate * u.rate_factor)};
}

} // namespace

void sgd::update(const parameter_update& u) const {
  optimizer_args a =
      begin(nesterov ? optimizer_rule::nesterov : optimizer_rule::momentum, u, rate, weight_decay);
  a.beta1 = static_cast<float>(momentum);
  u.apply(a);
}

void adagrad::update(const parameter_update& u) const {
  optimizer_args a = begin(optimizer_rule::squares, u, rate, weight_decay);
  a.beta1 = 1, a.share = 1;
  a.epsilon = static_cast<float>(epsilon);
  u.apply(a);
}

void rmsprop::update(const parameter_update& u) const {
  optimizer_args a = begin(optimizer_rule::squares, u, rate, weight_decay);
  a.beta1 = static_cast<float>(alpha), a.share = static_cast<float>(1 - alpha);
  a.epsilon = static_cast<float>(epsilon);
  u.apply(a);
}

template <bool decoupled>
void adam_of<decoupled>::update(const parameter_update& u) const {
  optimizer_args a = begin(optimizer_rule::adam, u, rate, decoupled ? 0 : weight_decay);
  a.beta1 = static_cast<float>(beta1), a.beta2 = static_cast<float>(beta2);
  // What the moments lack so early, by the factors that they are made with: a beta2 of 0.99999 is rounded by more
  // than a thousandth of what it takes.
  const auto lacking = [&](float beta) {
    return 1 - std::pow(static_cast<double>(beta), static_cast<double>(u.step));
  };
  a.rate = static_cast<float>(rate * u.rate_factor / lacking(a.beta1));
  a.root = static_cast<float>(1 / std::sqrt(lacking(a.beta2)));
  a.epsilon = static_cast<float>(epsilon);
  if (decoupled) a.kept = static_cast<float>(1 - rate * u.rate_factor * weight_decay);
  u.apply(a);
}
template struct adam_of<false>;
template struct adam_of<true>;

} // namespace fovea::core
