#include "kernel_sets.hpp"
#include <catch2/catch.hpp>

#include <fovea/backends/reference/backend.hpp>

using namespace fovea::core;
using namespace fovea::core::simd;

// The reference follows PyTorch's traces in tests/training/training.cpp, and the kernels with it.
TEST_CASE("optimizers move parameters as the reference does") {
  std::mt19937 random(7);
  for (const auto* table : kernel_sets())
    for (const auto rule :
         {optimizer_rule::momentum, optimizer_rule::nesterov, optimizer_rule::squares, optimizer_rule::adam})
      for (const std::size_t count :
           {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4}, std::size_t{7}, std::size_t{31},
            std::size_t{67}, table->set.vector + 1}) {
        CAPTURE(table->set.name, static_cast<int>(rule), count);
        const auto gradients = random_floats(count, random);
        std::vector<float> w = random_floats(count, random), first = random_floats(count, random),
                           second = random_floats(count, random);
        for (float& x : rule == optimizer_rule::squares ? first : second) x *= x; // a mean of squares
        auto expected_w = w, expected_first = first, expected_second = second;
        const bool has_second = rule == optimizer_rule::adam;
        optimizer_args a{.rule = rule,
                         .count = count,
                         .values = w.data(),
                         .gradients = gradients.data(),
                         .moments = {first.data(), has_second ? second.data() : nullptr}};
        a.gradient_factor = 0.5f, a.weight_decay = 0.25f, a.rate = 0.125f, a.beta1 = 0.75f, a.beta2 = 0.875f;
        a.share = 0.25f, a.epsilon = 0.0625f, a.kept = 0.9375f, a.root = 1.5f;
        table->update->run(a);
        a.values = expected_w.data(), a.moments[0] = expected_first.data();
        if (has_second) a.moments[1] = expected_second.data();
        reference::update(a);
        for (std::size_t i = 0; i < count; ++i) {
          REQUIRE(w[i] == Approx(expected_w[i]).margin(1e-6));
          REQUIRE(first[i] == Approx(expected_first[i]).margin(1e-6));
          REQUIRE(second[i] == Approx(expected_second[i]).margin(1e-6));
        }
      }
}
