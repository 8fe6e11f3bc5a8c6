#include "kernel_sets.hpp"
#include <catch2/catch.hpp>

#include <cmath>

using namespace fovea::core::simd;

// The rules as table.hpp states them, in double precision. What training makes of them follows PyTorch's
// traces in tests/models/training.cpp.
TEST_CASE("optimizers move parameters as their rules say") {
  std::mt19937 random(7);
  for (const auto* table : kernel_sets())
    for (const auto rule :
         {optimizer_rule::momentum, optimizer_rule::nesterov, optimizer_rule::squares, optimizer_rule::adam})
      for (const std::size_t count : {1u, 7u, 16u, 33u}) {
        CAPTURE(table->instruction_set, static_cast<int>(rule), count);
        const auto before = random_floats(count, random), gradients = random_floats(count, random),
                   first = random_floats(count, random), drawn = random_floats(count, random);
        std::vector<float> second(count);
        for (std::size_t i = 0; i < count; ++i) second[i] = drawn[i] * drawn[i];
        std::vector<float> w = before, m = rule == optimizer_rule::squares ? second : first, s = second;
        optimizer_args a{.rule = rule, .count = count, .values = w.data(), .gradients = gradients.data()};
        a.moments[0] = m.data();
        a.moments[1] = rule == optimizer_rule::adam ? s.data() : nullptr;
        a.gradient_factor = 0.5f, a.weight_decay = 0.25f, a.rate = 0.125f, a.beta1 = 0.75f, a.beta2 = 0.875f;
        a.share = 0.25f, a.epsilon = 0.0625f, a.kept = 0.9375f, a.root = 1.5f;
        table->update(a);
        for (std::size_t i = 0; i < count; ++i) {
          const double x = before[i], g = 0.5 * gradients[i] + 0.25 * x;
          double expected = x;
          if (rule == optimizer_rule::squares) {
            expected -= 0.125 * g / (std::sqrt(0.75 * second[i] + 0.25 * g * g) + 0.0625);
          } else if (rule == optimizer_rule::adam) {
            const double mean = 0.75 * first[i] + 0.25 * g, squares = 0.875 * second[i] + 0.125 * g * g;
            expected = 0.9375 * x - 0.125 * mean / (1.5 * std::sqrt(squares) + 0.0625);
          } else {
            const double velocity = 0.75 * first[i] + g;
            expected -= 0.125 * (rule == optimizer_rule::momentum ? velocity : g + 0.75 * velocity);
          }
          REQUIRE(w[i] == Approx(expected).margin(1e-6));
        }
      }
}
