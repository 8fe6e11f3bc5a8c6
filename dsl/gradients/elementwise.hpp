#pragma once

#include <fovea/dsl/gradients/site.hpp>

namespace fovea::core::detail {

/// Whether the gradient of a function of one operand is told from the operand, not from the result.
constexpr bool reads_operand(op kind) {
  switch (kind) {
    case op::log:
    case op::abs:
    case op::relu:
    case op::gelu:
    case op::gelu_tanh:
    case op::silu:
    case op::softplus:
    case op::erf:
    case op::sin:
    case op::cos:
      return true;
    default:
      return false;
  }
}

/// Elementwise operations (dsl/elementwise.hpp). Where a function has a kink, the gradient there is that of
/// PyTorch: 0 of relu and abs, half for each of two equal operands of max and min.
template <class S>
struct elementwise_rules {
  S& site;
  source_place at = site.n.at;
  expr d = site.d;

  constexpr located l(expr e) const { return located(e, at); }
  constexpr located c(double number) const { return located(number, at); }

  /// Of one operand; none of what passes no gradient at all.
  constexpr expr unary() const {
    switch (site.n.kind) {
      case op::negate:
        return -l(d);
      case op::exp:
        return l(d) * l(site.y());
      case op::log:
        return l(d) / l(site.x(0));
      case op::sqrt:
        return l(d) * c(0.5) / l(site.y());
      case op::abs: {
        const expr x = site.x(0);
        return where(c(0) < l(x), l(d), l(where(l(x) < c(0), l(-l(d)), c(0), at)), at);
      }
      case op::relu:
        return where(c(0) < l(site.x(0)), l(d), c(0), at);
      case op::gelu:
        return gelu(site.x(0));
      case op::gelu_tanh:
        return gelu_tanh(site.x(0));
      case op::silu: {
        const expr x = site.x(0), s = sigmoid(x, at);
        return l(d) * l(l(s) * l(l(l(x) * l(c(1) - l(s))) + c(1)));
      }
      case op::sigmoid: {
        const expr y = site.y();
        return l(d) * l(l(y) * l(c(1) - l(y)));
      }
      case op::tanh: {
        const expr y = site.y();
        return l(d) * l(c(1) - l(l(y) * l(y)));
      }
      case op::softplus:
        return l(d) * l(sigmoid(site.x(0), at));
      case op::erf: {
        const expr x = site.x(0);
        return l(d) * l(l(exp(-l(l(x) * l(x)), at)) * c(1.12837916709551257390));
      }
      case op::sin:
        return l(d) * l(cos(site.x(0), at));
      case op::cos:
        return -l(l(d) * l(sin(site.x(0), at)));
      case op::dropout: // outside training it does nothing
        return d;
      default:
        return {};
    }
  }
  /// d (Phi(x) + x phi(x))
  constexpr expr gelu(expr x) const {
    constexpr double root_two = 1.41421356237309504880;
    const expr below = (l(erf(l(x) * c(1 / root_two), at)) + c(1)) * c(0.5);
    const expr density = l(exp(l(x) * l(x) * c(-0.5), at)) * c(0.39894228040143267794);
    return l(d) * l(l(below) + l(l(x) * l(density)));
  }
  constexpr expr gelu_tanh(expr x) const {
    constexpr double scale = 0.79788456080286535588, cubic = 0.044715; // sqrt(2 / pi)
    const expr square = l(x) * l(x);
    const expr t = tanh(l(l(x) * l(l(square) * c(cubic) + c(1))) * c(scale), at);
    const expr slope = l(l(square) * c(3 * cubic) + c(1)) * c(scale);
    const expr inner = l(l(x) * l(c(1) - l(l(t) * l(t)))) * l(slope);
    return l(d) * l(l(l(t) + l(inner)) * c(0.5) + c(0.5));
  }

  /// Of operand k of two.
  constexpr expr binary(int k) const {
    switch (site.n.kind) {
      case op::add:
        return d;
      case op::subtract:
        return k == 0 ? d : -l(d);
      case op::multiply:
        return l(d) * l(site.x(1 - k));
      case op::divide:
        return k == 0 ? l(d) / l(site.x(1)) : -l(l(l(d) * l(site.y())) / l(site.x(1)));
      case op::power:
        return power(k);
      default:
        return {};
    }
  }
  /// Of x^y: y x^(y - 1), which is 0 where y is, and x^y log x, which is 0 where x is.
  constexpr expr power(int k) const {
    const expr x = site.x(0), y = site.x(1);
    if (k == 0) {
      const expr slope = l(y) * l(pow(l(x), l(l(y) - c(1))));
      return l(d) * l(where(l(y) == c(0), c(0), l(slope), at));
    }
    const expr above = c(0) < l(x);
    const expr of_log = where(above, l(log(where(above, l(x), c(1), at), at)), c(0), at);
    return l(d) * l(l(site.y()) * l(of_log));
  }
  /// Passes those of max or min.
  constexpr void pass_of_extreme() const {
    const bool of_max = site.n.kind == op::maximum;
    const expr x = site.x(0), y = site.x(1);
    const expr first = of_max ? l(y) < l(x) : l(x) < l(y);
    const expr half = where(l(x) == l(y), l(l(d) * c(0.5)), c(0), at);
    const expr second = of_max ? l(x) < l(y) : l(y) < l(x);
    if (site.wants(0)) site.pass(0, where(first, l(d), l(half), at));
    if (site.wants(1)) site.pass(1, where(second, l(d), l(half), at));
  }
  constexpr void pass_of_where() const {
    if (site.wants(1)) site.pass(1, where(site.x(0), l(d), c(0), at));
    if (site.wants(2)) site.pass(2, where(site.x(0), c(0), l(d), at));
  }
};

template <class S>
constexpr void elementwise_gradient(S& site) {
  const elementwise_rules<S> rules{site};
  const op kind = site.n.kind;
  if (kind == op::where) return rules.pass_of_where();
  if (kind == op::maximum || kind == op::minimum) return rules.pass_of_extreme();
  const auto pass = [&](int k, expr gradient) {
    if (gradient.owner != nullptr) site.pass(k, gradient);
  };
  if (is_unary(kind)) return pass(0, rules.unary());
  for (const int k : {0, 1})
    if (site.wants(k)) pass(k, rules.binary(k));
}

} // namespace fovea::core::detail
