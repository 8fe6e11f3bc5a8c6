#include "../training/loss_case.hpp"

#include <fovea/models/tcn.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

constexpr tcn_config stacked{.blocks = 3, .in = 6, .channels = 12};
constexpr wavenet_config samples{.blocks = 4, .classes = 16, .residual = 8, .skip = 12};

} // namespace

TEST_CASE("a temporal convolutional network agrees with the reference case", "[tcn]") {
  check_case(model("tcn",
                   [](graph& g) {
                     const expr x = permute(g.input<f32>("x", {"B", stacked.in, "T"}), {0, 2, 1});
                     g.output("y", permute(tcn_stack(x, stacked), {0, 2, 1}));
                   }),
             "tcn");
}

TEST_CASE("WaveNet agrees with the reference case", "[tcn]") {
  const golden_case c("wavenet");
  check_outputs(model(
                    "wavenet",
                    [](graph& g) {
                      const expr logits = wavenet_logits(g.input<i32>("ids", {"B", "T"}), samples);
                      g.output("logits", permute(logits, {0, 2, 1}));
                    },
                    wavenet_names),
                c, weights_of(c), inputs_of(c));
  check_loss(wavenet_loss<samples>, c, inputs_of(c, {{"samples", "ids"}}));
}

TEST_CASE("what comes later changes nothing before it", "[tcn]") {
  const model_weights from = formula_weights(tcn<stacked>);
  golden_tensor x{{1, 40, 6}, std::vector<double>(240), false};
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<double>(i * 7 % 13) / 8 - 0.75;
  const std::vector<double> before = run_model<f32>(tcn<stacked>, from, {{"x", x}}).at("y").values;
  const std::size_t time = 23;
  x.values[time * 6 + 2] += 1;
  const std::vector<double> after = run_model<f32>(tcn<stacked>, from, {{"x", x}}).at("y").values;
  CHECK(std::equal(before.begin(), before.begin() + time * 12, after.begin()));
  CHECK_FALSE(std::equal(before.begin() + time * 12, before.end(), after.begin() + time * 12));
}
