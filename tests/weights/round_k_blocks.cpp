// Values that are rounded to K blocks, beside plainer ways to round them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fovea/weights/k_blocks.hpp>
#include <functional>
#include <random>
#include <vector>

using namespace fovea::core;
using namespace fovea::core::gguf_blocks;

namespace {

std::vector<float> random_values(std::mt19937& random, float size, float middle) {
  std::normal_distribution<float> normal(middle, size);
  std::vector<float> values(256);
  for (float& x : values) x = normal(random);
  return values;
}

template <class block>
std::vector<float> rounded(const std::vector<float>& values) {
  std::vector<float> back(256);
  block::of(k_values(values.data(), 256)).write(back.data());
  return back;
}

double squares_apart(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  return sum;
}

/// Each group by a scale of its own in float32, from its least to its greatest, or from its greatest magnitude.
std::vector<float> plainly(const std::vector<float>& values, std::size_t group, int most, bool from_least) {
  std::vector<float> made;
  for (std::size_t first = 0; first < values.size(); first += group) {
    float least = 0, greatest = 0;
    for (std::size_t i = first; i < first + group; ++i)
      least = std::min(least, values[i]), greatest = std::max(greatest, values[i]);
    if (!from_least) greatest = std::max(greatest, -least), least = -greatest;
    const float step = (greatest - least) / static_cast<float>(most);
    for (std::size_t i = first; i < first + group; ++i)
      made.push_back(least + step * std::round((values[i] - least) / step));
  }
  return made;
}

} // namespace

TEST_CASE("values in K blocks are as near as by scales of their own that are not rounded", "[k]") {
  std::mt19937 random(6);
  for (const float size : {0.05f, 1.f, 300.f})
    for (const float middle : {0.f, 0.5f, -2.f}) {
      double of_q4 = 0, of_q6 = 0, plainly_4 = 0, plainly_6 = 0;
      for (int round = 0; round < 50; ++round) {
        const auto values = random_values(random, size, size * middle);
        of_q4 += squares_apart(values, rounded<q4_k>(values));
        of_q6 += squares_apart(values, rounded<q6_k>(values));
        plainly_4 += squares_apart(values, plainly(values, 32, 15, true));
        plainly_6 += squares_apart(values, plainly(values, 16, 63, false));
      }
      CAPTURE(size, middle);
      CHECK(of_q4 < plainly_4);
      CHECK(of_q6 < plainly_6);
    }
}

TEST_CASE("what is rounded to K blocks a second time is near what it was", "[k]") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const auto values = random_values(random, 1, 0);
    const auto check = [&](const std::vector<float>& once, const std::vector<float>& twice) {
      CHECK(squares_apart(once, twice) < squares_apart(values, once));
    };
    check(rounded<q4_k>(values), rounded<q4_k>(rounded<q4_k>(values)));
    check(rounded<q6_k>(values), rounded<q6_k>(rounded<q6_k>(values)));
  }
}

TEST_CASE("K blocks of values that are all alike, of one sign, or of few lines", "[k]") {
  const auto check = [](const std::function<float(std::size_t)>& f, double share) {
    std::vector<float> values(256);
    double size = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = f(i), size += std::pow(static_cast<double>(f(i)), 2);
    CHECK(squares_apart(values, rounded<q4_k>(values)) <= share * share * size);
    CHECK(squares_apart(values, rounded<q6_k>(values)) <= share * share * size);
  };
  check([](std::size_t) { return 0.f; }, 0);
  for (const float x : {1.f, -1.f, 0.5f, -1e4f}) {
    check([=](std::size_t) { return x; }, 1e-3);
    check([=](std::size_t i) { return i == 77 ? x : 0; }, 0.05);
    check([=](std::size_t i) { return i < 32 ? x : 0; }, 0.05);
    check([=](std::size_t i) { return x * static_cast<float>(i % 16); }, 0.05);
  }
}

TEST_CASE("a line's scale and minimum lie where they are read", "[k]") {
  std::mt19937 random(8);
  packed_line_scales packed{};
  std::vector<int> scales, minima;
  for (std::size_t line = 0; line < 8; ++line) {
    scales.push_back(static_cast<int>(random() % 64)), minima.push_back(static_cast<int>(random() % 64));
    packed.set(line, scales.back(), minima.back());
  }
  for (std::size_t line = 0; line < 8; ++line) {
    CHECK(packed.scale(line) == scales[line]);
    CHECK(packed.minimum(line) == minima[line]);
  }
}

TEST_CASE("lines of hardly anything beside lines of nothing are nothing") {
  std::vector<float> values(256, 0.f);
  std::fill_n(values.begin(), 32, 1e-38f);
  for (std::size_t i = 0; i < 16; ++i) values[i] = -1e-38f;
  for (const float x : rounded<q4_k>(values)) CHECK(x == 0);
}
