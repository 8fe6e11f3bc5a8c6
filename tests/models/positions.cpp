#include "compare_backends.hpp"

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
