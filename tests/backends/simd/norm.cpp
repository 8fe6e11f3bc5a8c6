// Layer norm and RMS norm against the formulas in double.

#include <fovea/backends/simd/isa/dispatch.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <vector>

using fovea::simd::kernels;
using fovea::simd::norm_args;

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
  const auto kernel = layer ? kernels().layer_norm : kernels().rms_norm;
  for (std::size_t task = kernels().norm_tasks(a); task-- > 0;) kernel(a, task, task + 1);
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
  kernel(a, 0, kernels().norm_tasks(a));
  CHECK(std::equal(same.begin(), same.end(), out.begin()));
}

} // namespace

TEST_CASE("norms of every width around the vectors") {
  for (const bool layer : {true, false}) {
    for (std::size_t width = 1; width <= 2 * kernels().vector + 1; ++width)
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
    kernels().layer_norm(a, 0, kernels().norm_tasks(a));
    for (const float y : out) CHECK(y == 0.25f);
  }
}
