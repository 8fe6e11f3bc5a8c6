#include <fovea/runtime/training/optimizer.hpp>

#include <cmath>

namespace fovea {

namespace {

/// f(parameter, gradient, moments...) of each parameter, the gradient clipped and with its decay.
template <class F>
void for_each(const parameter_update& u, double weight_decay, F f) {
  const auto factor = static_cast<float>(u.gradient_factor), decay = static_cast<float>(weight_decay);
  float* __restrict w = u.values;
  const float* __restrict g = u.gradients;
  float* __restrict a = u.moments[0], * __restrict b = u.moments[1];
  for (std::size_t i = 0; i < u.count; ++i) f(w[i], g[i] * factor + decay * w[i], a + i, b + i);
}

/// What adam and adamw share: the moments, and the step they give.
template <class adam_like>
auto adam_step(const adam_like& o, const parameter_update& u) {
  const auto step = static_cast<double>(u.step);
  const auto b1 = static_cast<float>(o.beta1), b2 = static_cast<float>(o.beta2);
  const auto epsilon = static_cast<float>(o.epsilon);
  const auto size = static_cast<float>(o.rate * u.rate_factor / (1 - std::pow(o.beta1, step)));
  const auto root = static_cast<float>(1 / std::sqrt(1 - std::pow(o.beta2, step)));
  return [=](float& w, float g, float* mean, float* squares) {
    *mean = b1 * *mean + (1 - b1) * g;
    *squares = b2 * *squares + (1 - b2) * g * g;
    w -= size * *mean / (std::sqrt(*squares) * root + epsilon);
  };
}

} // namespace

void sgd::update(const parameter_update& u) const {
  const auto step = static_cast<float>(rate * u.rate_factor), m = static_cast<float>(momentum);
  if (momentum == 0)
    return for_each(u, weight_decay, [=](float& w, float g, float*, float*) { w -= step * g; });
  for_each(u, weight_decay, [=, this](float& w, float g, float* velocity, float*) {
    *velocity = m * *velocity + g;
    w -= step * (nesterov ? g + m * *velocity : *velocity);
  });
}

void adagrad::update(const parameter_update& u) const {
  const auto step = static_cast<float>(rate * u.rate_factor), e = static_cast<float>(epsilon);
  for_each(u, weight_decay, [=](float& w, float g, float* squares, float*) {
    *squares += g * g;
    w -= step * g / (std::sqrt(*squares) + e);
  });
}

void rmsprop::update(const parameter_update& u) const {
  const auto step = static_cast<float>(rate * u.rate_factor), e = static_cast<float>(epsilon),
             a = static_cast<float>(alpha);
  for_each(u, weight_decay, [=](float& w, float g, float* squares, float*) {
    *squares = a * *squares + (1 - a) * g * g;
    w -= step * g / (std::sqrt(*squares) + e);
  });
}

void adam::update(const parameter_update& u) const { for_each(u, weight_decay, adam_step(*this, u)); }

void adamw::update(const parameter_update& u) const {
  const auto kept = static_cast<float>(1 - rate * u.rate_factor * weight_decay);
  const auto step = adam_step(*this, u);
  for_each(u, 0, [=](float& w, float g, float* mean, float* squares) {
    w *= kept;
    step(w, g, mean, squares);
  });
}

} // namespace fovea
