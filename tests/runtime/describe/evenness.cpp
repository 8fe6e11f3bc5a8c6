#include <fovea/fovea.hpp>
#include <fovea/runtime/describe/evenness.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using Catch::Matchers::Contains;

namespace {

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto block = model("block", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 96});
  const expr a =
      attention(linear(x, "q", 96), linear(x, "k", 96), linear(x, "v", 96), {.heads = 3, .mask = causal});
  g.output("y", layer_norm(x + linear(gelu(linear(a, "up", 384)), "down", 96), "ln"));
});

/// Threads of no machine: the caller does what they would.
constexpr executor alone{[](void*, std::size_t count, void (*task)(void*, std::size_t), void* job) {
                           for (std::size_t i = 0; i < count; ++i) task(job, i);
                         },
                         nullptr};

struct heard_call {
  std::vector<shared_step> steps;
  double even = 0;
  std::string text;
  xt::xtensor<float, 3> y;
};

heard_call call(int threads, executor lent) {
  auto net =
      compile(block, initial_weights(block, 1),
              {.capacity = {{B, 4}, {T, 80}}, .regime = regime::large, .threads = threads, .lent = lent});
  xt::xtensor<float, 3> x = xt::ones<float>({std::size_t{4}, std::size_t{80}, std::size_t{96}});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = 0.01f * static_cast<float>(i % 37) - 0.2f;
  const evenness heard;
  const auto out = net("x"_in = x);
  std::ostringstream text;
  heard.print(text);
  return {heard.steps(), heard.of_all(), text.str(), out["y"_out]};
}

const shared_step& step_of(const heard_call& heard, const std::string& kernel) {
  return *std::ranges::find_if(heard.steps, [&](const shared_step& s) { return s.kernel == kernel; });
}

} // namespace

TEST_CASE("one thread is even", "[evenness]") {
  const heard_call one = call(1, {});
  REQUIRE_FALSE(one.steps.empty());
  for (const shared_step& step : one.steps) CHECK(step.even == Approx(1));
  CHECK(one.even == Approx(1));
  CHECK_THAT(one.text, Contains("attention") && Contains("linear up (gelu)"));
}

TEST_CASE("two threads of a pool share the tasks that are told of two that are lent", "[evenness]") {
  const heard_call two = call(2, {}), told = call(2, alone);
  REQUIRE(two.steps.size() == told.steps.size());
  for (std::size_t i = 0; i < two.steps.size(); ++i) {
    CHECK(two.steps[i].text == told.steps[i].text);
    CHECK(two.steps[i].tasks == told.steps[i].tasks);
    CHECK(two.steps[i].times == told.steps[i].times);
    CHECK(two.steps[i].busiest == Approx(told.steps[i].busiest));
  }
  CHECK(two.even == Approx(told.even));
}

TEST_CASE("many threads have the bits of one, and no step is more than even", "[evenness]") {
  const heard_call one = call(1, {});
  for (const int threads : {3, 16, 64}) {
    const heard_call many = call(threads, alone);
    CHECK(many.y == one.y);
    for (const shared_step& step : many.steps) {
      CHECK(step.even <= Approx(1));
      CHECK(step.even >= 0.999 / threads);
      CHECK(step.threads == static_cast<std::size_t>(threads));
    }
  }
}

TEST_CASE("tasks of a causal mask cost the keys that they see", "[evenness]") {
  const shared_step attended = step_of(call(1, {}), "attention");
  CHECK(attended.even == Approx(1));
  // As many tasks as threads: the last one of a head, which sees most, ends last.
  const auto tasks = static_cast<int>(step_of(call(64, alone), "attention").tasks);
  const shared_step many = step_of(call(64, alone), "attention");
  CHECK(many.even < static_cast<double>(tasks) / 64);
}

TEST_CASE("who hears no call tells nothing", "[evenness]") {
  const evenness heard;
  std::ostringstream text;
  heard.print(text);
  CHECK(heard.steps().empty());
  CHECK(heard.of_all() == 1);
  CHECK(text.str().empty());
}
