#pragma once

#include <fovea/dsl/elementwise.hpp>

namespace fovea::core {

namespace detail {

/// A function of one value that is made of other words, reported at the user's call.
template <value T, class F>
constexpr result_of<T> composed(const char* word, T x, F f, source_place at) {
  if constexpr (std::same_as<T, scalar>) {
    return f(x);
  } else {
    const expr given = x;
    if (!has_numbers(given, at, word)) return {given.owner};
    const reported_at user(given, at.as(word));
    return f(given);
  }
}

} // namespace detail

// Each of these takes an expr, or a scalar inside a lambda, and gives the same shape.
/// x where it is positive, else slope x (Maas et al. 2013).
template <detail::value T>
constexpr detail::result_of<T> leaky_relu(T x, double slope = 0.01,
                                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::composed(
      "leaky_relu", x, [slope](const auto& v) { return where(v > 0, v, slope * v); }, at);
}
/// x where it is positive, else alpha (exp(x) - 1) (Clevert et al. 2015).
template <detail::value T>
constexpr detail::result_of<T> elu(T x, double alpha = 1,
                                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const auto of = [alpha](const auto& v) {
    // exp(v) - 1 = 2 t / (1 - t), which loses no digits where v is near 0. What is not taken stays finite.
    const auto t = tanh(0.5 * where(v > 0, 0, v));
    return where(v > 0, v, 2 * alpha * t / (1 - t));
  };
  return detail::composed("elu", x, of, at);
}
/// scale elu(x, alpha), whose mean and variance stay 0 and 1 from layer to layer (Klambauer et al. 2017).
template <detail::value T>
constexpr detail::result_of<T> selu(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const auto of = [](const auto& v) {
    return 1.0507009873554804934193349852946 * elu(v, 1.6732632423543772848170429916717);
  };
  return detail::composed("selu", x, of, at);
}
/// x tanh(softplus(x)) (Misra 2019).
template <detail::value T>
constexpr detail::result_of<T> mish(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::composed(
      "mish", x, [](const auto& v) { return v * tanh(softplus(v)); }, at);
}

/// x, but low where it is below, and high where it is above; the three broadcast. The gradient goes to x from
/// low to high, both included. Errors: bounds that are plain numbers in the wrong order.
constexpr expr clamp(expr x, located low, located high,
                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "clamp";
  if (!detail::has_numbers(x, at, word)) return {x.owner};
  graph& g = *x.owner;
  shape joint = g.shape_of(x);
  for (const located& bound : {low, high}) {
    if (bound.is_number) continue;
    if (!detail::has_numbers(bound.value, at, word)) return {&g};
    const shape before = joint;
    if (!detail::broadcast(g, before, g.shape_of(bound.value), joint))
      return g.fail(67, at, word, ": ", x, " and its bound ", bound.value, " do not broadcast");
  }
  if (low.is_number && high.is_number && !(low.number <= high.number))
    return g.fail(68, at, word, ": expected the lower bound first, found ", low.number, " and ", high.number);
  const reported_at user(x, at.as(word));
  const expr above = where(located(x) < low, low, x);
  return where(located(above) > high, high, above);
}
constexpr scalar clamp(const scalar& x, const scalar& low, const scalar& high) {
  const scalar above = where(x < low, low, x);
  return where(above > high, high, above);
}

/// clamp(x / 6 + 0.5, 0, 1) (Courbariaux et al. 2015), with PyTorch's slope. The gradient is 0 at -3 and at 3.
template <detail::value T>
constexpr detail::result_of<T> hardsigmoid(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const auto of = [](const auto& v) { return where(v <= -3.0, 0.0, where(v >= 3.0, 1.0, v / 6.0 + 0.5)); };
  return detail::composed("hardsigmoid", x, of, at);
}
/// x clamp(x + 3, 0, 6) / 6 (Howard et al. 2019). The gradient is 0 at -3 and 1 at 3.
template <detail::value T>
constexpr detail::result_of<T> hardswish(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const auto of = [](const auto& v) {
    return v * where(abs(v) < 3.0, v / 6.0 + 0.5, where(v > 0, 1.0, 0.0));
  };
  return detail::composed("hardswish", x, of, at);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::clamp, core::elu, core::hardsigmoid, core::hardswish, core::leaky_relu, core::mish, core::selu;
} // namespace fovea
