// Every function against the same in double, over all exponents and both signs, in units in the last place.

#include <fovea/backends/simd/isa/dispatch.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using fovea::core::simd::kernels;
using fovea::core::simd::unary;

namespace {

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

template <class Exact>
worst worst_of(unary f, const Exact& exact, float from = -infinity, float to = infinity) {
  static const std::vector<float> x = sampled_floats(997);
  std::vector<float> y(x.size());
  kernels().apply(f, x.data(), y.data(), x.size());
  worst found;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < from || x[i] > to) continue;
    const double distance = ulps(y[i], exact(static_cast<double>(x[i])));
    if (distance > found.ulps) found = {distance, x[i]};
  }
  return found;
}

template <class Exact>
void check_bound(unary f, double bound, const Exact& exact, float from = -infinity, float to = infinity) {
  const worst found = worst_of(f, exact, from, to);
  INFO("worst at " << found.at);
  CHECK(found.ulps <= bound);
}

float value_of(unary f, float x) {
  float y = 0;
  kernels().apply(f, &x, &y, 1);
  return y;
}

double exact_gelu(double x) {
  return std::isinf(x) ? (x > 0 ? x : 0) : x * 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double gelu_tanh_exponent(double x) { return 2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }

double exact_gelu_tanh(double x) {
  return std::isinf(x) ? (x > 0 ? x : 0) : x / (1 + std::exp(-gelu_tanh_exponent(x)));
}

double exact_silu(double x) { return x < -1000 ? 0 : x / (1 + std::exp(-x)); }

} // namespace

TEST_CASE("functions keep the error that their docstring states") {
  check_bound(unary::exp, 1.1, [](double x) { return std::exp(x); });
  check_bound(unary::log, 1, [](double x) { return std::log(x); });
  check_bound(unary::tanh, 6, [](double x) { return std::tanh(x); });
  check_bound(unary::sigmoid, 3.5, [](double x) { return 1 / (1 + std::exp(-x)); });
  check_bound(unary::softplus, 2.5, [](double x) { return x > 100 ? x : std::log1p(std::exp(x)); });
  check_bound(unary::erf, 2, [](double x) { return std::erf(x); });
  check_bound(unary::sin, 1.6, [](double x) { return std::sin(x); });
  check_bound(unary::cos, 1.7, [](double x) { return std::cos(x); });
  check_bound(unary::relu, 0, [](double x) { return std::isnan(x) ? x : std::max(x, 0.0); });
  check_bound(unary::silu, 4, exact_silu, -87);
  check_bound(unary::gelu, 8, exact_gelu, -13);
  check_bound(unary::gelu, 5, exact_gelu, -2);
  check_bound(unary::gelu_tanh, 4, exact_gelu_tanh, -1);
}

TEST_CASE("gelu_tanh's error grows as stated where the exponential magnifies it") {
  for (float x = -10; x < -1; x += 0.0137f)
    CHECK(ulps(value_of(unary::gelu_tanh, x), exact_gelu_tanh(x)) <= 4 + 3 * std::abs(gelu_tanh_exponent(x)));
}

TEST_CASE("gated functions vanish far below zero") {
  for (const float x : {-14.0f, -100.0f, -1e30f, std::numeric_limits<float>::lowest(), -infinity}) {
    CHECK(std::abs(value_of(unary::gelu, x)) < 1e-37f);
    CHECK(std::abs(value_of(unary::gelu_tanh, x)) < 1e-37f);
  }
  for (float x = -87; x > -300; x -= 0.37f)
    CHECK(std::abs(value_of(unary::silu, x) - exact_silu(x)) <= std::ldexp(1.0, -142));
  CHECK(value_of(unary::silu, -infinity) == 0);
}

TEST_CASE("no function loses a NaN or makes one of an infinity without cause") {
  for (const unary f : {unary::relu, unary::gelu, unary::gelu_tanh, unary::silu, unary::sigmoid, unary::tanh,
                        unary::softplus, unary::exp, unary::log, unary::erf, unary::sin, unary::cos})
    CHECK(std::isnan(value_of(f, not_a_number)));
  for (const unary f :
       {unary::relu, unary::gelu, unary::gelu_tanh, unary::silu, unary::softplus, unary::exp, unary::log})
    CHECK(value_of(f, infinity) == infinity);
  for (const unary f : {unary::sigmoid, unary::tanh, unary::erf}) CHECK(value_of(f, infinity) == 1);
  CHECK(value_of(unary::log, 0) == -infinity);
  CHECK(std::isnan(value_of(unary::log, -1)));
}

TEST_CASE("powers") {
  const auto base = sampled_floats(9973);
  for (const float y :
       {2.0f, 0.5f, -1.0f, 3.0f, -3.0f, 10.1f, -0.37f, 30.0f, 0.0f, infinity, -infinity, not_a_number}) {
    std::vector<float> exponent(base.size(), y), got(base.size());
    kernels().power(base.data(), exponent.data(), got.data(), base.size());
    worst found;
    for (std::size_t i = 0; i < base.size(); ++i) {
      const double distance = ulps(got[i], std::pow(static_cast<double>(base[i]), static_cast<double>(y)));
      if (distance > found.ulps) found = {distance, base[i]};
    }
    INFO("exponent " << y << ", worst at " << found.at);
    CHECK(found.ulps <= 0.51);
  }
  const float special[] = {0.0f,     -0.0f,     1.0f,         -1.0f, 2.0f,  -2.0f,      0.5f,
                           infinity, -infinity, not_a_number, 3.0f,  -2.5f, 16777215.0f};
  for (const float x : special)
    for (const float y : special) {
      float got = 0;
      kernels().power(&x, &y, &got, 1);
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

TEST_CASE("every count and alignment, in place too") {
  for (std::size_t count = 0; count <= 2 * kernels().vector + 1; ++count)
    for (std::size_t offset = 0; offset < 4; ++offset) {
      std::vector<float> x(offset + count + 1, 0.75f);
      std::vector<float> y(offset + count + 1, -7.0f);
      kernels().apply(unary::exp, x.data() + offset, y.data() + offset, count);
      kernels().apply(unary::exp, x.data() + offset, x.data() + offset, count);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(y[offset + i] == Approx(std::exp(0.75f)).epsilon(1e-6));
        CHECK(x[offset + i] == y[offset + i]);
      }
      CHECK(x.back() == 0.75f);
      CHECK(y.back() == -7.0f);
    }
}
