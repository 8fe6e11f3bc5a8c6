#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

TEST_CASE("a circular convolution reads on at the other end", "[convolution]") {
  // Windows of 4 and 3 positions, with strides and dilations; over planes both axes.
  static constexpr auto rings = model("rings", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 3});
    g.output("even", conv1d(x, "even", 2, 4, {.padding = circular}));
    g.output("strided", conv1d(x, "strided", 2, 3, {.stride = 2, .dilation = 2, .padding = circular}));
    const expr plane = g.input<f32>("plane", {"B", 4, "T", 3});
    g.output("plane", conv2d(plane, "plane", 2, 3, {.padding = circular, .bias = false}));
  });
  check_difference_quotients(rings, {{"B", 2}, {"T", 5}});
  const std::size_t batch = 2, time = 5, in = 3, out = 2;
  const named_values inputs = random_inputs(rings, {{"B", batch}, {"T", time}});
  const auto tensors = random_tensors(rings);
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(rings, random_weights(rings), inputs);
    const auto check_ring = [&](const std::string& name, std::size_t width, std::size_t stride,
                                std::size_t dilation) {
      const auto &weight = tensors.at(name + ".weight").values, &bias = tensors.at(name + ".bias").values;
      const auto& x = inputs.at("x").values;
      const std::size_t before = (width - 1) * dilation / 2, places = (time - 1) / stride + 1;
      REQUIRE(found.at(name).shape == std::vector<std::size_t>{batch, places, out});
      for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t t = 0; t < places; ++t)
          for (std::size_t o = 0; o < out; ++o) {
            double y = bias[o];
            for (std::size_t k = 0; k < width; ++k)
              for (std::size_t i = 0; i < in; ++i)
                y += weight[(o * in + i) * width + k] *
                     x[(b * time + (t * stride + k * dilation + time - before) % time) * in + i];
            CHECK(found.at(name).values[(b * places + t) * out + o] == Approx(y).margin(1e-6));
          }
    };
    check_ring("even", 4, 1, 1);
    check_ring("strided", 3, 2, 2);
    const auto& weight = tensors.at("plane.weight").values;
    const auto& x = inputs.at("plane").values;
    for (std::size_t h = 0; h < 4; ++h)
      for (std::size_t t = 0; t < time; ++t) {
        double y = 0;
        for (std::size_t r = 0; r < 3; ++r)
          for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t i = 0; i < in; ++i)
              y += weight[(i * 3 + r) * 3 + k] *
                   x[((h + r + 3) % 4 * time + (t + k + time - 1) % time) * in + i];
        CHECK(found.at("plane").values[(h * time + t) * out] == Approx(y).margin(1e-6));
      }
  });
}
