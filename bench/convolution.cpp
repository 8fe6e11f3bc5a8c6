// Kim's CNN, and single convolutions and poolings: the peers' times are those of bench/peers/convolution.py.
// The limits are multiply-adds at the measured rate, and inputs and outputs at the measured bandwidth of
// reading 4 MB.
//
//     convolution [--threads N] [--json FILE]

#include "measure.hpp"
#include "program.hpp"
#include "random_weights.hpp"
#include <fovea/fovea.hpp>
#include <fovea/models/kim_cnn.hpp>

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr models::kim_cnn_config kim{.vocab = 1, .width = 64, .classes = 2};
constexpr auto kim_cnn = model("kim_cnn", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 128, 64});
  g.output("y", models::kim_cnn_scores(models::kim_cnn_features(x, kim), kim));
});

// One operation each, over time and over planes.
constexpr auto plain = model("plain", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 512, 128});
  g.output("y", relu(conv1d(x, "conv", 128, 3, {.padding = same})));
});
constexpr auto dilated = model("dilated", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 1024, 64});
  g.output("y", relu(conv1d(x, "conv", 64, 3, {.dilation = 8, .padding = causal})));
});
constexpr auto depthwise = model("depthwise", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 256, 512});
  g.output("y", conv1d(x, "conv", 512, 31, {.padding = same, .groups = 512}));
});
constexpr auto doubled = model("doubled", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 256, 256});
  g.output("y", conv_transpose1d(x, "conv", 128, 4, {.stride = 2, .padding = 1}));
});
constexpr auto planes = model("planes", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 56, 56, 64});
  g.output("y", relu(batch_norm(conv2d(x, "conv", 64, 3, {.padding = 1, .bias = false}), "norm")));
});
constexpr auto image = model("image", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 224, 224, 3});
  g.output("y", relu(conv2d(x, "conv", 64, 7, {.stride = 2, .padding = 3})));
});
constexpr auto depthwise_planes = model("depthwise_planes", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 56, 56, 128});
  g.output("y", relu(conv2d(x, "conv", 128, 3, {.padding = 1, .groups = 128})));
});
constexpr auto pooled = model("pooled", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 112, 112, 64});
  g.output("y", max_pool(x, 3, {.stride = 2, .padding = 1}));
});

// A layer of wav2vec2's (Baevski et al. 2020), over a quarter of a second of speech: its filters take 3 MB in float32.
constexpr auto speech = model("speech", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 801, 512});
  g.output("y", gelu(conv1d(x, "conv", 512, 3, {.stride = 2, .bias = false})));
});

// The shape by which a ResNet halves its planes (He et al. 2015), without its norm: filters of 1 MB.
constexpr auto halved = model("halved", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 28, 28, 128});
  g.output("y", relu(conv2d(x, "conv", 256, 3, {.stride = 2, .padding = 1})));
});

template <class format = f32, class M>
void time(const M& model, std::size_t batch, bench::report& rows, const std::string& format_name = "") {
  const dim B{"B"};
  auto net = compile<format>(model, bench::random_weights(model),
                             {.capacity = {{B, static_cast<std::int64_t>(batch)}}, .threads = rows.threads});
  const graph_view& g = M::view;
  const shape& s = g.at(g.inputs[0].node).shape;
  std::vector<std::size_t> shape{batch};
  for (int axis = 1; axis < s.rank; ++axis) shape.push_back(static_cast<std::size_t>(g.number(s[axis])));
  xt::xarray<float> x(shape);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 17) * 0.01f - 0.08f;
  const auto call = [&] { net("x"_in = x); };
  call();
  const bench::timings us = bench::times_us(batch > 1 ? 40 : 400, call);
  const auto flops = static_cast<double>(M::flops({{B, static_cast<std::int64_t>(batch)}}));
  const std::string name =
      "convolution/" + std::string(model.name) + format_name + "/" + std::to_string(batch);
  const auto bytes = static_cast<double>((x.size() + net("x"_in = x)["y"_out].size()) * sizeof(float));
  rows.add(name, us, bench::demand{flops / 2, bytes, 4 << 20});
}

template <class M>
void time_formats(const M& model, bench::report& rows) {
  time(model, 1, rows);
  time<f16>(model, 1, rows, "-f16");
  time<q8_0>(model, 1, rows, "-q8_0");
  time<bf16_products>(model, 1, rows, "-bf16");
  time<integer_products<int8>>(model, 1, rows, "-int8");
}

} // namespace

int main(int argc, char** argv) {
  return bench::run("Times convolutions.", argc, argv, [](bench::report& rows) {
    time(kim_cnn, 1, rows);
    time(kim_cnn, 32, rows);
    time(plain, 1, rows);
    time(dilated, 1, rows);
    time(depthwise, 1, rows);
    time(doubled, 1, rows);
    time(planes, 1, rows);
    time(image, 1, rows);
    time(depthwise_planes, 1, rows);
    time(pooled, 1, rows);
    time_formats(speech, rows);
    time_formats(halved, rows);
  });
}
