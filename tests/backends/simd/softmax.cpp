#include "kernel_sets.hpp"
// softmax and log_softmax against the formulas in double.

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using fovea::core::simd::softmax_args;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> random_floats(std::size_t count, float spread) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> x(count);
  for (float& y : x) y = normal(random);
  return x;
}

void check(std::size_t outer, std::size_t count, std::size_t inner, float spread = 3, float offset = 0) {
  INFO("[" << outer << ", " << count << ", " << inner << "]");
  std::vector<float> x = random_floats(outer * count * inner, spread);
  for (float& y : x) y += offset;
  std::vector<float> plain(x.size() + 1, -7), logarithm(x.size() + 1, -7), same = x;
  softmax_args a{x.data(), plain.data(), outer, count, inner};
  for (std::size_t task = kernels().softmax->tasks(a); task-- > 0;) kernels().softmax->run(a, task, task + 1);
  a.out = logarithm.data();
  for (std::size_t task = kernels().softmax->tasks(a); task-- > 0;)
    kernels().log_softmax->run(a, task, task + 1);
  double worst = 0, worst_logarithm = 0;
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      const auto at = [&](std::size_t k) { return (o * count + k) * inner + i; };
      double largest = -infinity, sum = 0;
      for (std::size_t k = 0; k < count; ++k) largest = std::max(largest, static_cast<double>(x[at(k)]));
      for (std::size_t k = 0; k < count; ++k) sum += std::exp(static_cast<double>(x[at(k)]) - largest);
      for (std::size_t k = 0; k < count; ++k) {
        const double want = static_cast<double>(x[at(k)]) - largest - std::log(sum);
        worst = std::max(worst, std::abs(static_cast<double>(plain[at(k)]) - std::exp(want)));
        worst_logarithm = std::max(worst_logarithm, std::abs(static_cast<double>(logarithm[at(k)]) - want) /
                                                        std::max(1.0, std::abs(want)));
      }
    }
  CHECK(worst <= 6e-7); // of 131 terms that a column adds in turn, drawn otherwise by each standard library
  CHECK(worst_logarithm <= 1e-6);
  CHECK(plain.back() == -7);
  CHECK(logarithm.back() == -7);
  a.x = a.out = same.data();
  kernels().softmax->run(a, 0, kernels().softmax->tasks(a));
  CHECK(std::equal(same.begin(), same.end(), plain.begin()));
}

} // namespace

TEST_CASE("softmax over rows and over columns") {
  const std::size_t most = 2 * kernels().set.vector + 1;
  for (std::size_t count = 1; count <= most; ++count) {
    check(3, count, 1);
    check(2, 5, count);
    check(2, count, 3);
  }
  check(7, 1031, 1);
  check(2, 131, 67);
  check(3000, 5, 1);
}

TEST_CASE("softmax of large and offset elements") {
  check(4, 33, 1, 1000);
  check(4, 33, 9, 1000);
  check(4, 33, 1, 3, 1e4f);
}

TEST_CASE("softmax weighs -inf as nothing, and a row of it alone gives zeros") {
  for (const std::size_t inner : {std::size_t{1}, std::size_t{5}}) {
    std::vector<float> x(3 * 21 * inner, 0.5f), out(x.size());
    for (std::size_t i = 0; i < 21 * inner; ++i) x[i] = -infinity;
    for (std::size_t i = 0; i < inner; ++i) x[21 * inner + i] = -infinity;
    const softmax_args a{x.data(), out.data(), 3, 21, inner};
    kernels().softmax->run(a, 0, kernels().softmax->tasks(a));
    for (std::size_t i = 0; i < 22 * inner; ++i) CHECK(out[i] == 0);
    for (std::size_t i = 22 * inner; i < 42 * inner; ++i) CHECK(out[i] == Approx(1.0 / 20));
    kernels().log_softmax->run(a, 0, kernels().softmax->tasks(a));
    CHECK(out[21 * inner] == -infinity);
    CHECK(out[22 * inner] == Approx(-std::log(20.0)));
  }
}
