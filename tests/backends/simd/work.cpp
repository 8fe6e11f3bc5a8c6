#include <catch2/catch.hpp>
#include <fovea/backends/simd/work.hpp>
#include <fovea/dsl.hpp>

using namespace fovea;
using namespace fovea::core;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto words = model("words", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {B, T});
  const expr x = gather(parameter(tokens, "table", {100'000, 64}), tokens);
  g.output("y", repeat("layer", 3, x, [](expr y) { return linear(relu(y), "map", 64); }));
});

// So large a state is no function of its own: time_step takes, stack puts.
constexpr auto sums = model("sums", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 256});
  g.output("y", scan(x, zeros(x, {B, 256}), [](expr now, expr before) {
             const expr after = tanh(linear(before + now, "map", 256));
             return scan_step{after, after};
           }));
});

/// The work of the first step of a kind, whose node is of a kind, for a batch of one of so many tokens.
template <class M>
constexpr std::int64_t work(const M&, step_kind kind, op node, std::int64_t tokens, std::int64_t lanes) {
  using lowered = typename M::lowered;
  const graph_view& g = lowered::view;
  const plan_view p(lowered::schedule);
  const auto size_of = [tokens](const char* symbol) { return symbol[0] == 'T' ? tokens : 1; };
  const auto size = [&](int d) { return g.size(d, size_of); };
  for (int i = 0; i < p.step_count; ++i)
    if (p.steps[i].kind == kind && g.at(p.steps[i].node).kind == node)
      return simd::work_of(g, p, p.steps[i], lanes, size);
  return -1;
}

} // namespace

TEST_CASE("the work of a step grows with its sizes and shrinks with wider vectors") {
  // A product reads 64 x 64 weights and, of each token, 64 numbers twice.
  STATIC_REQUIRE(work(words, step_kind::product, op::linear, 1, 16) ==
                 (64 * 64 / 6 + 64 * 64 + 64 + 64 + 64) / 16);
  STATIC_REQUIRE(work(words, step_kind::product, op::linear, 1000, 16) >
                 100 * work(words, step_kind::product, op::linear, 1, 16));
  STATIC_REQUIRE(work(words, step_kind::product, op::linear, 1000, 4) >=
                 4 * work(words, step_kind::product, op::linear, 1000, 16));
}

TEST_CASE("the work of picking rows does not depend on how many there are to pick from") {
  STATIC_REQUIRE(work(words, step_kind::single, op::gather, 1, 16) == (64 + 64 + 1) / 16);
}

TEST_CASE("the work of one step of a sequence does not depend on how many there are") {
  STATIC_REQUIRE(work(sums, step_kind::single, op::time_step, 1000, 16) == (256 + 256) / 16);
  STATIC_REQUIRE(work(sums, step_kind::single, op::stack, 1000, 16) == (256 + 256) / 16);
}
