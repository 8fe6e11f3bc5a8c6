#include "kernel_sets.hpp"
// Layer norm and RMS norm against the formulas in double.

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <vector>

using fovea::core::simd::norm_args;
using fovea::core::simd::norm_gradient_args;

namespace {

std::vector<float> random_floats(std::size_t count, float mean, float spread, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(mean, spread);
  std::vector<float> x(count);
  for (float& y : x) y = normal(random);
  return x;
}

std::vector<double> expected(const norm_args& a, bool layer) {
  std::vector<double> out(a.rows * a.width);
  const auto count = static_cast<double>(a.width);
  for (std::size_t row = 0; row < a.rows; ++row) {
    const float* x = a.x + row * a.width;
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < a.width && layer; ++i) mean += static_cast<double>(x[i]) / count;
    for (std::size_t i = 0; i < a.width; ++i)
      squares += std::pow(static_cast<double>(x[i]) - mean, 2) / count;
    const double scale = 1 / std::sqrt(squares + static_cast<double>(a.epsilon));
    for (std::size_t i = 0; i < a.width; ++i) {
      double y = (static_cast<double>(x[i]) - mean) * scale;
      if (a.weight != nullptr) y *= static_cast<double>(a.weight[i]);
      if (a.bias != nullptr) y += static_cast<double>(a.bias[i]);
      out[row * a.width + i] = y;
    }
  }
  return out;
}

void check(std::size_t rows, std::size_t width, float mean, float spread, bool weight, bool bias,
           bool layer) {
  INFO(rows << " x " << width << ", mean " << mean << ", spread " << spread << ", layer " << layer);
  const auto x = random_floats(rows * width, mean, spread, 3);
  const auto w = random_floats(width, 1, 0.3f, 4), b = random_floats(width, 0, 0.3f, 5);
  std::vector<float> out(rows * width + 1, -7);
  norm_args a{x.data(), out.data(), rows, width, weight ? w.data() : nullptr, bias ? b.data() : nullptr,
              1e-5f};
  const auto& kernel = layer ? *kernels().layer_norm : *kernels().rms_norm;
  for (std::size_t task = kernel.tasks(a); task-- > 0;) kernel.run(a, task, task + 1);
  const auto want = expected(a, layer);
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i)
    worst =
        std::max(worst, std::abs(static_cast<double>(out[i]) - want[i]) / std::max(1.0, std::abs(want[i])));
  CHECK(worst <= 1e-5);
  CHECK(out.back() == -7);
  // in place, all tasks at once: the same bits
  std::vector<float> same = x;
  a.x = a.out = same.data();
  kernel.run(a, 0, kernel.tasks(a));
  CHECK(std::equal(same.begin(), same.end(), out.begin()));
}

} // namespace

TEST_CASE("norms of every width around the vectors") {
  for (const bool layer : {true, false}) {
    for (std::size_t width = 1; width <= 2 * kernels().set.vector + 1; ++width)
      check(3, width, 0.5f, 2, true, layer, layer);
    for (const std::size_t width : {std::size_t{127}, std::size_t{384}, std::size_t{769}})
      for (const std::size_t rows : {std::size_t{1}, std::size_t{8}, std::size_t{19}})
        check(rows, width, -1, 0.1f, true, layer, layer);
  }
}

TEST_CASE("norms without weight or bias") {
  for (const bool layer : {true, false})
    for (const bool weight : {true, false})
      for (const bool bias : {true, false}) check(2, 45, 0, 1, weight, bias, layer);
}

TEST_CASE("layer norm keeps a small spread beside a large offset") {
  for (const float offset : {100.0f, 1e4f, -1e6f}) check(4, 384, offset, 1, true, true, true);
}

TEST_CASE("layer norm of equal or zero elements is the bias") {
  for (const float value : {0.0f, 3.3f, 1e7f}) {
    const std::vector<float> x(77, value);
    std::vector<float> out(77), bias(77, 0.25f);
    const norm_args a{x.data(), out.data(), 1, 77, nullptr, bias.data(), 1e-5f};
    kernels().layer_norm->run(a, 0, kernels().layer_norm->tasks(a));
    for (const float y : out) CHECK(y == 0.25f);
  }
}

namespace {

void check_gradient(std::size_t rows, std::size_t width, std::size_t part, float mean, bool weight,
                    bool layer) {
  INFO(rows << " x " << width << ", mean " << mean << ", layer " << layer);
  const auto x = random_floats(rows * width, mean, 1.5f, 6), d = random_floats(rows * width, 0.1f, 1, 7),
             w = random_floats(width, 1, 0.3f, 8);
  std::vector<float> out(rows * width + 1, -7);
  norm_gradient_args a{.x = x.data(),
                       .d = d.data(),
                       .weight = weight ? w.data() : nullptr,
                       .out = out.data(),
                       .rows = rows,
                       .width = width,
                       .part = part,
                       .epsilon = 1e-5f};
  const auto& kernel = layer ? *kernels().layer_norm_gradient : *kernels().rms_norm_gradient;
  const std::size_t tasks = kernel.tasks(a);
  std::vector<float> sums(tasks * 2 * width + 1, -7);
  a.sums = sums.data();
  for (std::size_t task = tasks; task-- > 0;) kernel.run(a, task, task + 1);

  std::vector<double> of_weight(width), of_bias(width);
  double worst = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto z = expected({x.data() + row * width, nullptr, 1, width, nullptr, nullptr, a.epsilon}, layer);
    double centre = 0, squares = 0, across = 0, along = 0;
    const auto count = static_cast<double>(width);
    const auto at = [&](std::size_t i) { return static_cast<double>(x[row * width + i]); };
    const auto e = [&](std::size_t i) {
      return static_cast<double>(d[row * width + i]) * (weight ? static_cast<double>(w[i]) : 1);
    };
    for (std::size_t i = 0; i < width && layer; ++i) centre += at(i) / count;
    for (std::size_t i = 0; i < width; ++i) {
      squares += std::pow(at(i) - centre, 2) / count;
      across += layer ? e(i) / count : 0;
      along += e(i) * z[i] / count;
    }
    for (std::size_t i = 0; i < width; ++i) {
      const double want =
          (e(i) - across - z[i] * along) / std::sqrt(squares + static_cast<double>(a.epsilon));
      worst =
          std::max(worst, std::abs(static_cast<double>(out[row * width + i]) - want) / (1 + std::abs(want)));
      of_weight[i] += static_cast<double>(d[row * width + i]) * z[i];
      of_bias[i] += static_cast<double>(d[row * width + i]);
    }
  }
  for (std::size_t i = 0; i < width; ++i) {
    double found_weight = 0, found_bias = 0;
    for (std::size_t task = 0; task < tasks; ++task) {
      found_weight += static_cast<double>(sums[task * 2 * width + i]);
      found_bias += static_cast<double>(sums[(task * 2 + 1) * width + i]);
    }
    worst = std::max({worst, std::abs(found_weight - of_weight[i]) / static_cast<double>(rows),
                      std::abs(found_bias - of_bias[i]) / static_cast<double>(rows)});
  }
  CHECK(worst <= 2e-5);
  CHECK(out.back() == -7);
  CHECK(sums.back() == -7);
}

} // namespace

TEST_CASE("gradients of norms of every width around the vectors") {
  for (const bool layer : {true, false}) {
    for (std::size_t width = 2; width <= 2 * kernels().set.vector + 1; ++width)
      check_gradient(5, width, 3, 0.5f, width % 2 == 0, layer);
    for (const std::size_t width : {std::size_t{127}, std::size_t{384}, std::size_t{769}})
      for (const std::size_t rows : {std::size_t{1}, std::size_t{8}, std::size_t{19}})
        check_gradient(rows, width, 8, -1, true, layer);
  }
}
