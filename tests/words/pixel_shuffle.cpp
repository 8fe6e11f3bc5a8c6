#include "../streams/stream_rows_case.hpp"
#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto shuffled = model("shuffled", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 2, 18});
  const expr wide = pixel_shuffle(x, 3);
  g.output("wide", wide);
  g.output("back", pixel_unshuffle(wide, 3));
  g.output("plane", pixel_unshuffle(pixel_shuffle(tanh(linear(reshape(x, {B * T, 2, 18}), "h", 20)), 2), 1));
});

constexpr auto along_the_height = model("along_the_height", [](graph& g) {
  const expr wide = pixel_shuffle(g.input<f32>("x", {B, T, 2, 18}), 3);
  g.output("wide", wide);
  g.output("back", pixel_unshuffle(sin(wide), 3));
});

} // namespace

// torch.nn.functional.pixel_shuffle: y[c, h r + i, w r + j] = x[c r^2 + i r + j, h, w].
TEST_CASE("pixel_shuffle puts features where PyTorch does, and pixel_unshuffle takes them back", "[words]") {
  const std::size_t batch = 2, height = 5, width = 2, factor = 3, out = 2;
  const named_values inputs = random_inputs(shuffled, {{"B", batch}, {"T", height}});
  const std::vector<double>& x = inputs.at("x").values;
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(shuffled, random_weights(shuffled), inputs);
    const golden_tensor& wide = found.at("wide");
    REQUIRE(wide.shape == std::vector<std::size_t>{batch, height * factor, width * factor, out});
    std::size_t at = 0;
    for (std::size_t b = 0; b < batch; ++b)
      for (std::size_t row = 0; row < height * factor; ++row)
        for (std::size_t column = 0; column < width * factor; ++column)
          for (std::size_t c = 0; c < out; ++c) {
            const std::size_t feature = (c * factor + row % factor) * factor + column % factor;
            CHECK(
                wide.values[at++] ==
                x[((b * height + row / factor) * width + column / factor) * out * factor * factor + feature]);
          }
    CHECK(found.at("back").values == x);
  });
}

TEST_CASE("pixel_shuffle and pixel_unshuffle against the reference, and their gradients", "[words]") {
  compare_at_awkward_sizes(shuffled);
  check_gradients_of_words(shuffled);
}

TEST_CASE("pixel_shuffle and pixel_unshuffle stream along the height", "[words]") {
  check_stream<T>(along_the_height, {{"B", 3}, {"T", 11}});
}
