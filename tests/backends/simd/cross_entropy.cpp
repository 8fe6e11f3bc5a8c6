// Cross entropy and its gradient against the formulas in double.

#include "kernel_sets.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace fovea::core::simd;

TEST_CASE("cross entropy and its gradient are those of the formulas, whatever the tasks") {
  std::mt19937 random(11);
  constexpr std::size_t sizes[] = {1, 2, 7, 16, 33, 65, 1000, 5003};
  for (const auto* table : kernel_sets())
    for (const std::size_t classes : sizes)
      for (const float smoothing : {0.0f, 0.1f}) {
        CAPTURE(table->set.name, classes, smoothing);
        constexpr std::size_t rows = 13;
        auto x = random_floats(rows * classes, random);
        for (float& y : x) y = y * 9 + 100;
        const auto d = random_floats(rows, random);
        std::vector<std::int32_t> targets;
        for (std::size_t row = 0; row < rows; ++row)
          targets.push_back(static_cast<std::int32_t>(row * 37 % classes));
        targets[3] = -100, targets[4] = static_cast<std::int32_t>(classes); // no classes
        if (classes > 2) x[5 * classes + (static_cast<std::size_t>(targets[5]) + 1) % classes] = -1e30f;
        std::vector<float> loss(rows + 1, -7), dx(rows * classes + 1, -7);
        cross_entropy_args a{.x = x.data(),
                             .targets = targets.data(),
                             .out = loss.data(),
                             .rows = rows,
                             .classes = classes,
                             .smoothing = smoothing};
        const std::size_t tasks = table->cross_entropy->tasks(a);
        for (std::size_t task = tasks; task-- > 0;) table->cross_entropy->run(a, task, task + 1);
        a.d = d.data(), a.out = dx.data();
        for (std::size_t task = tasks; task-- > 0;) table->cross_entropy_gradient->run(a, task, task + 1);
        double worst = 0, worst_gradient = 0;
        for (std::size_t row = 0; row < rows; ++row) {
          const float* logits = x.data() + row * classes;
          const auto at = [&](std::size_t i) { return static_cast<double>(logits[i]); };
          const double s = static_cast<double>(smoothing), count = static_cast<double>(classes);
          const auto target = static_cast<std::size_t>(targets[row]);
          const bool inside = targets[row] >= 0 && target < classes;
          double largest = at(0), sum = 0, mean = 0;
          for (std::size_t i = 0; i < classes; ++i) largest = std::max(largest, at(i));
          for (std::size_t i = 0; i < classes; ++i) sum += std::exp(at(i) - largest), mean += at(i) / count;
          const double all = largest + std::log(sum);
          const double want = (inside ? (1 - s) * (all - at(target)) : 0) + (s > 0 ? s * (all - mean) : 0);
          worst = std::max(worst, std::abs(static_cast<double>(loss[row]) - want) / (1 + std::abs(want)));
          for (std::size_t i = 0; i < classes; ++i) {
            const double p = std::exp(at(i) - all);
            const double of = static_cast<double>(d[row]) *
                              ((inside ? (1 - s) * (p - (i == target ? 1 : 0)) : 0) + s * (p - 1 / count));
            worst_gradient =
                std::max(worst_gradient, std::abs(static_cast<double>(dx[row * classes + i]) - of));
          }
        }
        CHECK(worst < 3e-6);
        CHECK(worst_gradient < 3e-6);
        CHECK(loss.back() == -7);
        CHECK(dx.back() == -7);
      }
}
