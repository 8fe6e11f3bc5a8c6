#include "../streams/stream_case.hpp"
#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

// The ways to tell a model where a word stands, and why one of them was given up.

namespace {

constexpr auto positions = model("positions", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", "T", 8});
  g.output("normalised", normalised_positions(x));
  g.output("sinusoidal", sinusoidal_positions(x));
});

named_values positions_of(std::size_t length) {
  return run_model<f32>(positions, random_weights(positions),
                        random_inputs(positions, {{"B", 1}, {"T", length}}));
}

} // namespace

TEST_CASE("normalised positions go from 0 to 1, so that a step is shorter the longer the text",
          "[positions]") {
  for (const std::size_t length : {2u, 5u, 11u, 40u}) {
    const golden_tensor found = positions_of(length).at("normalised");
    REQUIRE(found.shape == std::vector<std::size_t>{length, 1});
    for (std::size_t i = 0; i < length; ++i)
      CHECK(found.values[i] == Approx(static_cast<double>(i) / static_cast<double>(length - 1)));
  }
  CHECK(positions_of(1).at("normalised").values == std::vector<double>{0});
}

TEST_CASE("a sinusoidal position does not depend on the length; a normalised one does", "[positions]") {
  const named_values shorter = positions_of(5), longer = positions_of(11);
  for (std::size_t i = 0; i < 5 * 8; ++i)
    CHECK(longer.at("sinusoidal").values[i] == shorter.at("sinusoidal").values[i]);
  const auto step = [](const named_values& from) {
    return from.at("normalised").values[3] - from.at("normalised").values[2];
  };
  CHECK(step(shorter) == Approx(0.25));
  CHECK(step(longer) == Approx(0.1));
}

TEST_CASE("positions are the same on both backends", "[positions]") { compare_at_awkward_sizes(positions); }

TEST_CASE("learned positions may begin at another row of their table", "[positions]") {
  static constexpr auto table = model("table", [](graph& g) {
    const expr ids = g.input<i32>("ids", {"B", "T"});
    g.output("y", learned_positions(ids, "p", {.context = 9, .width = 2, .offset = 2}));
  });
  std::vector<float> rows(18);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i);
  const model_weights from = model_weights::from({{"p.weight", {{9, 2}, rows}}});
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(table, from, {.capacity = {{dim("B"), 1}}}); // T is at most 7
    const auto y = net("ids"_in = xt::xtensor<int, 2>(xt::zeros<int>({1, 7})))["y"_out];
    for (std::size_t t = 0; t < 7; ++t) CHECK(y(t, 1) == rows[2 * (t + 2) + 1]);
    CHECK_THROWS_WITH(net("ids"_in = xt::xtensor<int, 2>(xt::zeros<int>({1, 8}))),
                      Catch::Matchers::Contains("7"));
  });
  check_difference_quotients(table, {{"B", 1}, {"T", 3}});

  static constexpr auto moving = model("moving", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 2});
    g.output("y", x + learned_positions(x, "p", {.context = 9, .width = 2, .offset = 2}));
  });
  check_stream<dim("T")>(moving, {{"B", 2}, {"T", 7}});
}
