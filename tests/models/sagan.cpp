#include "../run_model.hpp"

#include <fovea/models/sagan.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

// 512 x 64 for f and for g, 512 x 512 for h, and gamma.
static_assert(sagan<512, sagan_config{}>.parameters() == 327'681);

constexpr sagan_config paper{.filters = 2, .value_filters = 2, .output_convolution = true};
constexpr sagan_config direct{.filters = 2};

/// x [B, channels, H, W], as in the cases, with the maps [B, places, places], from each place to all.
template <int channels, int height, int width, sagan_config config>
constexpr auto shown = model("sagan", [](graph& g) {
  const expr x = permute(g.input<f32>("x", {"B", channels, height, width}), {0, 2, 3, 1});
  const sagan_features features = sagan_projections(x, config);
  g.output("y", permute(sagan_output(x, features, config), {0, 3, 1, 2}));
  g.output("beta", sagan_maps(features));
});

/// The case of 512 channels: what its notes say is made by formula.
model_weights weights_512(const golden_case& c) {
  std::map<std::string, weight_tensor> made = parameters_of(c);
  for (const auto& [name, filters] : std::map<std::string, std::size_t>{{"f", 64}, {"g", 64}, {"h", 512}}) {
    const golden_tensor from = formula_tensor(name + ".weight", {filters, 512, 1, 1});
    made[name + ".weight"] = {from.shape, std::vector<float>(from.values.begin(), from.values.end())};
  }
  return model_weights::from(made);
}

golden_tensor image_512() {
  golden_tensor x{{1, 512, 7, 7}, std::vector<double>(512 * 49), false};
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double u = static_cast<double>(splitmix64(fnv1a64("input.x") + i) >> 40) / 16777216.0;
    x.values[i] = static_cast<double>(static_cast<float>((u - 0.5) * 2));
  }
  return x;
}

} // namespace

TEST_CASE("SAGAN's block agrees with the reference cases", "[sagan]") {
  check_case(shown<16, 4, 4, paper>, "sagan_gamma0");
  check_case(shown<16, 4, 4, paper>, "sagan_gamma07");
  check_case(shown<16, 5, 3, direct>, "sagan_direct_value");
}

TEST_CASE("512 channels on 7 x 7 places", "[sagan]") {
  const golden_case c("sagan_512_formula");
  const auto& declared = shown<512, 7, 7, sagan_config{}>;
  on_both_backends([&](auto backend) {
    const named_values out = run_model<decltype(backend)>(declared, weights_512(c), {{"x", image_512()}});
    const std::vector<double>&y = out.at("y").values, &beta = out.at("beta").values;
    check(c, "output.beta", std::span<const double>(beta), out.at("beta").shape);
    check(c, "output.y_part", std::span<const double>(y).first(16 * 49), c.at("output.y_part").shape);
    double sum = 0, magnitudes = 0;
    for (double v : y) sum += v, magnitudes += std::abs(v);
    check(c, "output.y_sum", std::span<const double>(&sum, 1), {});
    check(c, "output.y_abs_sum", std::span<const double>(&magnitudes, 1), {});
    REQUIRE(beta.size() == 49 * 49);
    for (std::size_t j = 0; j < 49; ++j) {
      double row = 0;
      for (std::size_t i = 0; i < 49; ++i) row += beta[j * 49 + i];
      CHECK(row == Approx(1).epsilon(1e-6));
    }
  });
}

TEST_CASE("while gamma is 0 the block gives back its input, bit for bit", "[sagan]") {
  const golden_case c("sagan_gamma0");
  on_both_backends([&](auto backend) {
    const named_values out =
        run_model<decltype(backend)>(shown<16, 4, 4, paper>, weights_of(c), inputs_of(c));
    CHECK(out.at("y").values == c.at("input.x").values);
  });
}
