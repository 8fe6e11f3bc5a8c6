// Every function, for the set that this file is compiled for, against the same in double, over all exponents
// and both signs, in units in the last place.

#include <fovea/backends/simd/generate.hpp>
#include <fovea/backends/simd/kernels/elementwise.hpp>

#include "../../system/system.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

using fovea::core::op;
namespace simd = fovea::core::simd;

namespace {

using set = simd::native;
using floats = simd::vec<set>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Every `stride`th float by bit pattern: both signs, denormals, infinities, NaNs.
std::vector<float> sampled_floats(std::uint32_t stride) {
  std::vector<float> x;
  for (std::uint64_t pattern = 0; pattern < (std::uint64_t{1} << 32); pattern += stride)
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
  return x;
}

/// The distance in units in the last place of `exact`, denormal results included.
double ulps(float got, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(got) ? 0 : infinity;
  if (std::isinf(nearest))
    return got == nearest || std::abs(got) == std::numeric_limits<float>::max() ? 0 : infinity;
  if (!std::isfinite(got)) return infinity;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(got - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

struct worst {
  double ulps = 0;
  float at = 0;
};

template <op f>
float value_of(float x) {
  return simd::function<f, set>(floats(x)).get(0);
}
float power(float x, float y) { return simd::math::pow<set>(floats(x), floats(y)).get(0); }

template <op f, class Exact>
void check_bound(double bound, const Exact& exact, float from = -infinity, float to = infinity) {
  static const std::vector<float> x = sampled_floats(997);
  worst found;
  alignas(64) float y[simd::width<set>];
  for (std::size_t i = 0; i + simd::width<set> <= x.size(); i += simd::width<set>) {
    simd::function<f, set>(floats::load_unaligned(&x[i])).store_aligned(y);
    for (std::size_t k = 0; k < simd::width<set>; ++k) {
      if (x[i + k] < from || x[i + k] > to) continue;
      const double distance = ulps(y[k], exact(static_cast<double>(x[i + k])));
      if (distance > found.ulps) found = {distance, x[i + k]};
    }
  }
  INFO("worst at " << found.at);
  CHECK(found.ulps <= bound);
}

/// check of a constant of each of these operations.
template <op... all, class F>
void for_each(const F& check) {
  (check(std::integral_constant<op, all>{}), ...);
}

double exact_gelu(double x) {
  return std::isinf(x) ? (x > 0 ? x : 0) : x * 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double gelu_tanh_exponent(double x) {
  return 2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}

double exact_gelu_tanh(double x) {
  return std::isinf(x) ? (x > 0 ? x : 0) : x / (1 + std::exp(-gelu_tanh_exponent(x)));
}

double exact_silu(double x) { return x < -1000 ? 0 : x / (1 + std::exp(-x)); }

} // namespace

TEST_CASE("functions keep the error that their docstring states") {
  check_bound<op::exp>(1.1, [](double x) { return std::exp(x); });
  check_bound<op::log>(1, [](double x) { return std::log(x); });
  check_bound<op::tanh>(6, [](double x) { return std::tanh(x); });
  check_bound<op::sigmoid>(
      3.5, [](double x) { return 1 / (1 + std::exp(-x)); }, -88.3f);
  check_bound<op::softplus>(2.5, [](double x) { return x > 100 ? x : std::log1p(std::exp(x)); });
  check_bound<op::erf>(2, [](double x) { return std::erf(x); });
  const auto most = static_cast<float>(fovea::core::test::greatest_angle());
  check_bound<op::sin>(
      1.6, [](double x) { return std::sin(x); }, -most, most);
  check_bound<op::cos>(
      1.7, [](double x) { return std::cos(x); }, -most, most);
  check_bound<op::relu>(0, [](double x) { return std::isnan(x) ? x : std::max(x, 0.0); });
  check_bound<op::silu>(4, exact_silu, -87);
  check_bound<op::gelu>(8, exact_gelu, -13);
  check_bound<op::gelu>(set::fuses ? 5 : 5.4, exact_gelu, -2);
  check_bound<op::gelu_tanh>(4, exact_gelu_tanh, -1);
}

TEST_CASE("gelu keeps its error where roundings add up") {
  worst found;
  for (auto bits = std::bit_cast<std::uint32_t>(-1.0f); bits < std::bit_cast<std::uint32_t>(-4.0f);
       bits += 31) {
    const auto x = std::bit_cast<float>(bits);
    const double bound = x < -2       ? 8
                         : set::fuses ? 5
                                      : 5.4,
                 share = ulps(value_of<op::gelu>(x), exact_gelu(static_cast<double>(x))) / bound;
    if (share > found.ulps) found = {share, x};
  }
  INFO("worst at " << found.at);
  CHECK(found.ulps <= 1);
}

TEST_CASE("gelu_tanh's error grows as stated where the exponential magnifies it") {
  for (float x = -10; x < -1; x += 0.0137f)
    CHECK(ulps(value_of<op::gelu_tanh>(x), exact_gelu_tanh(x)) <= 4 + 3 * std::abs(gelu_tanh_exponent(x)));
}

TEST_CASE("gated functions vanish far below zero") {
  for (const float x : {-14.0f, -100.0f, -1e30f, std::numeric_limits<float>::lowest(), -infinity}) {
    CHECK(std::abs(value_of<op::gelu>(x)) < 1e-37f);
    CHECK(std::abs(value_of<op::gelu_tanh>(x)) < 1e-37f);
  }
  for (float x = -87; x > -300; x -= 0.37f)
    CHECK(std::abs(value_of<op::silu>(x) - exact_silu(x)) <= std::ldexp(1.0, -120));
  for (const float x : {-88.31f, -104.0f, std::numeric_limits<float>::lowest(), -infinity}) {
    CHECK(value_of<op::sigmoid>(x) == 0);
    CHECK(value_of<op::silu>(x) == 0);
  }
}

TEST_CASE("no function loses a NaN or makes one of an infinity without cause") {
  for_each<op::relu, op::gelu, op::gelu_tanh, op::silu, op::sigmoid, op::tanh, op::softplus, op::exp, op::log,
           op::sqrt, op::erf, op::sin, op::cos, op::floor>(
      [](auto f) { CHECK(std::isnan(value_of<f()>(not_a_number))); });
  for_each<op::relu, op::gelu, op::gelu_tanh, op::silu, op::softplus, op::exp, op::log, op::sqrt, op::floor>(
      [](auto f) { CHECK(value_of<f()>(infinity) == infinity); });
  for_each<op::sigmoid, op::tanh, op::erf>([](auto f) { CHECK(value_of<f()>(infinity) == 1); });
  CHECK(value_of<op::log>(0) == -infinity);
  CHECK(std::isnan(value_of<op::log>(-1)));
}

TEST_CASE("powers") {
  const auto base = sampled_floats(9973);
  for (const float y :
       {2.0f, 0.5f, -1.0f, 3.0f, -3.0f, 10.1f, -0.37f, 30.0f, 0.0f, infinity, -infinity, not_a_number}) {
    worst found;
    for (const float x : base) {
      const double distance = ulps(power(x, y), std::pow(static_cast<double>(x), static_cast<double>(y)));
      if (distance > found.ulps) found = {distance, x};
    }
    INFO("exponent " << y << ", worst at " << found.at);
    CHECK(found.ulps <= 0.51);
  }
  const float special[] = {0.0f,     -0.0f,     1.0f,         -1.0f, 2.0f,  -2.0f,      0.5f,
                           infinity, -infinity, not_a_number, 3.0f,  -2.5f, 16777215.0f};
  for (const float x : special)
    for (const float y : special) {
      const float got = power(x, y);
      const auto exact = static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
      INFO(x << " to the " << y);
      if (std::isnan(exact)) {
        CHECK(std::isnan(got));
      } else {
        CHECK(got == exact);
        CHECK(std::signbit(got) == std::signbit(exact));
      }
    }
}
