#include <fovea/backends/exact.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace fovea::core::exact {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// x Phi(x), Phi the standard normal distribution (Hendrycks and Gimpel 2016, eq. 1).
double gelu(double x) { return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2; }

/// Hendrycks and Gimpel 2016, section 2.
double gelu_tanh(double x) {
  return x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))) / 2;
}

/// log(1 + e^x), written so that no exponential overflows.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double identity(double x) { return x; }

} // namespace

unary_function unary(op kind) {
  switch (kind) {
    case op::negate:
      return [](double x) { return -x; };
    case op::exp:
      return [](double x) { return std::exp(x); };
    case op::log:
      return [](double x) { return std::log(x); };
    case op::sqrt:
      return [](double x) { return std::sqrt(x); };
    case op::abs:
      return [](double x) { return std::abs(x); };
    case op::relu:
      return [](double x) { return std::max(x, 0.0); };
    case op::gelu:
      return gelu;
    case op::gelu_tanh:
      return gelu_tanh;
    case op::silu:
      return [](double x) { return x * sigmoid(x); };
    case op::sigmoid:
      return sigmoid;
    case op::tanh:
      return [](double x) { return std::tanh(x); };
    case op::softplus:
      return softplus;
    case op::erf:
      return [](double x) { return std::erf(x); };
    case op::sin:
      return [](double x) { return std::sin(x); };
    case op::cos:
      return [](double x) { return std::cos(x); };
    case op::floor:
      return [](double x) { return std::floor(x); };
    case op::logical_not:
      return [](double x) { return x == 0 ? 1.0 : 0.0; };
    case op::to_float:
    case op::stop_gradient:
    case op::dropout:
      return identity;
    default:
      throw std::logic_error("not an elementwise op of one operand");
  }
}

binary_function binary(op kind, element type) {
  switch (kind) {
    case op::add:
      return [](double a, double b) { return a + b; };
    case op::subtract:
      return [](double a, double b) { return a - b; };
    case op::multiply:
      return [](double a, double b) { return a * b; };
    case op::divide:
      if (type == element::i32) return [](double a, double b) { return b == 0 ? 0 : std::floor(a / b); };
      return [](double a, double b) { return a / b; };
    case op::power:
      return [](double a, double b) { return std::pow(a, b); };
    case op::maximum:
      return [](double a, double b) { return std::max(a, b); };
    case op::minimum:
      return [](double a, double b) { return std::min(a, b); };
    case op::less:
      return [](double a, double b) { return a < b ? 1.0 : 0.0; };
    case op::less_equal:
      return [](double a, double b) { return a <= b ? 1.0 : 0.0; };
    case op::equal:
      return [](double a, double b) { return a == b ? 1.0 : 0.0; };
    case op::logical_and:
      return [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; };
    case op::logical_or:
      return [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; };
    default:
      throw std::logic_error("not an elementwise op of two operands");
  }
}

} // namespace fovea::core::exact
