#pragma once

#include <fovea/dsl/gradients/site.hpp>

namespace fovea::core::detail {

/// Elementwise operations (dsl/elementwise.hpp). Where a function has a kink, the gradient there is that of
/// PyTorch: 0 of relu and abs, half for each of two equal operands of max and min.
template <class S>
constexpr void elementwise_gradient(S& site) {
  const source_place at = site.n.at;
  const expr d = site.d;
  const auto l = [at](expr e) { return located(e, at); };
  const auto c = [at](double number) { return located(number, at); };
  const auto both = [&](expr a, expr b) {
    if (site.wants(0)) site.pass(0, a);
    if (site.wants(1)) site.pass(1, b);
  };
  constexpr double root_two = 1.41421356237309504880;
  switch (site.n.kind) {
    case op::negate:
      return site.pass(0, -l(d));
    case op::exp:
      return site.pass(0, l(d) * l(site.y()));
    case op::log:
      return site.pass(0, l(d) / l(site.x(0)));
    case op::sqrt:
      return site.pass(0, l(d) * c(0.5) / l(site.y()));
    case op::abs: {
      const expr x = site.x(0);
      return site.pass(0, where(c(0) < l(x), l(d), l(where(l(x) < c(0), l(-l(d)), c(0), at)), at));
    }
    case op::relu:
      return site.pass(0, where(c(0) < l(site.x(0)), l(d), c(0), at));
    case op::gelu: { // Phi(x) + x phi(x)
      const expr x = site.x(0);
      const expr below = (l(erf(l(x) * c(1 / root_two), at)) + c(1)) * c(0.5);
      const expr density = l(exp(l(x) * l(x) * c(-0.5), at)) * c(0.39894228040143267794);
      return site.pass(0, l(d) * l(l(below) + l(l(x) * l(density))));
    }
    case op::gelu_tanh: {
      constexpr double scale = 0.79788456080286535588, cubic = 0.044715; // sqrt(2 / pi)
      const expr x = site.x(0), square = l(x) * l(x);
      const expr t = tanh(l(l(x) * l(l(square) * c(cubic) + c(1))) * c(scale), at);
      const expr slope = l(l(square) * c(3 * cubic) + c(1)) * c(scale);
      const expr inner = l(l(x) * l(c(1) - l(l(t) * l(t)))) * l(slope);
      return site.pass(0, l(d) * l(l(l(t) + l(inner)) * c(0.5) + c(0.5)));
    }
    case op::silu: {
      const expr x = site.x(0), s = sigmoid(x, at);
      return site.pass(0, l(d) * l(l(s) * l(l(l(x) * l(c(1) - l(s))) + c(1))));
    }
    case op::sigmoid: {
      const expr y = site.y();
      return site.pass(0, l(d) * l(l(y) * l(c(1) - l(y))));
    }
    case op::tanh: {
      const expr y = site.y();
      return site.pass(0, l(d) * l(c(1) - l(l(y) * l(y))));
    }
    case op::softplus:
      return site.pass(0, l(d) * l(sigmoid(site.x(0), at)));
    case op::erf: {
      const expr x = site.x(0);
      return site.pass(0, l(d) * l(l(exp(-l(l(x) * l(x)), at)) * c(1.12837916709551257390)));
    }
    case op::sin:
      return site.pass(0, l(d) * l(cos(site.x(0), at)));
    case op::cos:
      return site.pass(0, -l(l(d) * l(sin(site.x(0), at))));
    case op::dropout: // outside training it does nothing
      return site.pass(0, d);
    case op::add:
      return both(d, d);
    case op::subtract:
      if (site.wants(0)) site.pass(0, d);
      if (site.wants(1)) site.pass(1, -l(d));
      return;
    case op::multiply:
      if (site.wants(0)) site.pass(0, l(d) * l(site.x(1)));
      if (site.wants(1)) site.pass(1, l(d) * l(site.x(0)));
      return;
    case op::divide:
      if (site.wants(0)) site.pass(0, l(d) / l(site.x(1)));
      if (site.wants(1)) site.pass(1, -l(l(l(d) * l(site.y())) / l(site.x(1))));
      return;
    case op::power: // x^y: y x^(y - 1), and x^y log x, which is 0 where x is
      if (site.wants(0)) site.pass(0, l(d) * l(l(site.x(1)) * l(pow(l(site.x(0)), l(l(site.x(1)) - c(1))))));
      if (site.wants(1)) {
        const expr x = site.x(0), above = c(0) < l(x);
        const expr of_log = where(above, l(log(where(above, l(x), c(1), at), at)), c(0), at);
        site.pass(1, l(d) * l(l(site.y()) * l(of_log)));
      }
      return;
    case op::maximum:
    case op::minimum: {
      const expr x = site.x(0), y = site.x(1);
      const expr first = site.n.kind == op::maximum ? l(y) < l(x) : l(x) < l(y);
      const expr half = where(l(x) == l(y), l(l(d) * c(0.5)), c(0), at);
      const expr second = site.n.kind == op::maximum ? l(x) < l(y) : l(y) < l(x);
      if (site.wants(0)) site.pass(0, where(first, l(d), l(half), at));
      if (site.wants(1)) site.pass(1, where(second, l(d), l(half), at));
      return;
    }
    case op::where:
      if (site.wants(1)) site.pass(1, where(site.x(0), l(d), c(0), at));
      if (site.wants(2)) site.pass(2, where(site.x(0), c(0), l(d), at));
      return;
    default: // what passes no gradient at all
      return;
  }
}

} // namespace fovea::core::detail
