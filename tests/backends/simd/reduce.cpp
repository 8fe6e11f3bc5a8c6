#include "kernel_sets.hpp"
// Reductions against plain loops in double.

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using fovea::core::op;
using fovea::core::simd::reduce_args;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> reduced(op by, const std::vector<float>& x, std::size_t outer, std::size_t count,
                           std::size_t inner) {
  std::vector<float> out(outer * inner + 1, -7);
  const reduce_args a{by, x.data(), out.data(), outer, count, inner};
  for (std::size_t task = kernels().reduce->tasks(a); task-- > 0;) kernels().reduce->run(a, task, task + 1);
  CHECK(out.back() == -7);
  out.pop_back();
  std::vector<float> together(out.size());
  const reduce_args b{by, x.data(), together.data(), outer, count, inner};
  kernels().reduce->run(b, 0, kernels().reduce->tasks(b));
  CHECK(std::memcmp(out.data(), together.data(), out.size() * sizeof(float)) == 0); // NaN too
  return out;
}

void check(std::size_t outer, std::size_t count, std::size_t inner) {
  INFO("[" << outer << ", " << count << ", " << inner << "]");
  std::mt19937 random(7);
  std::normal_distribution<float> normal(1, 2);
  std::vector<float> x(outer * count * inner);
  for (float& y : x) y = normal(random);
  const auto sums = reduced(op::sum, x, outer, count, inner);
  const auto means = reduced(op::mean, x, outer, count, inner);
  const auto maxima = reduced(op::max_over, x, outer, count, inner);
  const auto minima = reduced(op::min_over, x, outer, count, inner);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      double sum = 0, magnitude = 0;
      float largest = -infinity, least = infinity;
      for (std::size_t k = 0; k < count; ++k) {
        const float y = x[(o * count + k) * inner + i];
        sum += static_cast<double>(y);
        magnitude += std::abs(static_cast<double>(y));
        largest = std::max(largest, y);
        least = std::min(least, y);
      }
      const std::size_t at = o * inner + i;
      CHECK(std::abs(static_cast<double>(sums[at]) - sum) <= 1e-6 * magnitude);
      CHECK(std::abs(static_cast<double>(means[at]) * static_cast<double>(count) - sum) <= 1e-6 * magnitude);
      CHECK(maxima[at] == largest);
      CHECK(minima[at] == least);
    }
}

} // namespace

TEST_CASE("reductions of every count around the vectors") {
  for (std::size_t count = 1; count <= 2 * kernels().set.vector + 1; ++count) {
    check(3, count, 1);
    check(2, 7, count);
    check(2, count, 5);
  }
  check(2, 1033, 1);
  check(1, 1033, 37);
  check(5000, 3, 1);
}

TEST_CASE("a long sum keeps its accuracy") {
  const std::size_t count = 1 << 20;
  for (const std::size_t inner : {std::size_t{1}, std::size_t{3}}) {
    const std::vector<float> x(count * inner, 0.1f);
    for (const float sum : reduced(op::sum, x, 1, count, inner))
      CHECK(sum == Approx(static_cast<double>(0.1f) * static_cast<double>(count)).epsilon(1e-6));
  }
}

TEST_CASE("NaN anywhere reaches the maximum and the minimum") {
  for (const std::size_t inner : {std::size_t{1}, std::size_t{3}})
    for (std::size_t at = 0; at < 67; ++at) {
      std::vector<float> x(67 * inner, 1.0f);
      x[at * inner] = std::numeric_limits<float>::quiet_NaN();
      CHECK(std::isnan(reduced(op::max_over, x, 1, 67, inner)[0]));
      CHECK(std::isnan(reduced(op::min_over, x, 1, 67, inner)[0]));
    }
}
