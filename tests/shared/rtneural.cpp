// RTNeural's networks from its own JSON files, against the outputs that TensorFlow and PyTorch gave for them
// (../shared/data/rtneural): on both backends, and streamed where they are causal.

#include "../streams/stream_case.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

std::string folder() { return std::string(std::getenv("FOVEA_SHARED")) + "/data/rtneural/"; }

/// All numbers of a file in a row.
std::vector<double> numbers(const std::string& name) {
  std::ifstream file(folder() + "vectors/" + name + ".csv");
  std::vector<double> read;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) read.push_back(std::stod(field));
  }
  REQUIRE(!read.empty());
  return read;
}

/// A file whose rows are channels, as [1, time, channels].
golden_tensor channels_last(const std::vector<double>& rows, std::size_t channels) {
  const std::size_t times = rows.size() / channels;
  golden_tensor made{{1, times, channels}, std::vector<double>(rows.size())};
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t t = 0; t < times; ++t) made.values[t * channels + c] = rows[c * times + t];
  return made;
}

model_weights trained(const std::string& model) {
  return load_weights(folder() + "models/" + model + ".json");
}

/// The greatest difference of the output "y" to what is expected may be `most`, that of the specification
/// `most_exact`.
template <class M>
void check_network(const M& network, const model_weights& from, const golden_tensor& x,
                   const std::vector<double>& y, double most, double most_exact) {
  on_both_backends([&](auto backend) {
    const auto out = run_model<decltype(backend)>(network, from, {{"x", x}}).at("y");
    REQUIRE(out.values.size() == y.size());
    double greatest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) greatest = std::max(greatest, std::abs(out.values[i] - y[i]));
    CHECK(greatest < (std::is_same_v<decltype(backend), reference> ? most_exact : most));
  });
}

/// A sequence [1, time, 1].
golden_tensor sequence(const std::string& name) {
  auto values = numbers(name);
  return {{1, values.size(), 1}, values};
}

/// max(x, 0) + slope min(x, 0), a slope for each feature or one for all (He et al. 2015).
constexpr expr prelu(expr x, const char* name, int slopes) {
  return max(x, 0) + parameter(x, name, {slopes}) * min(x, 0);
}

constexpr auto dense = model("dense", [](graph& g) {
  expr x = g.input<f32>("x", {B, 1});
  x = tanh(linear(x, "layers.0", 8));
  x = relu(linear(x, "layers.2", 8));
  x = elu(linear(x, "layers.4", 8));
  x = softmax(linear(x, "layers.6", 8));
  x = linear(x, "layers.8", 1);
  x = linear(x, "layers.9", 8, {.bias = false});
  x = linear(x, "layers.10", 8, {.bias = false});
  g.output("y", linear(x, "layers.11", 1, {.bias = false}));
});

constexpr auto convolutions = model("conv", [](graph& g) {
  expr x = tanh(linear(g.input<f32>("x", {B, T, 1}), "layers.0", 8));
  x = tanh(conv1d(x, "layers.1", 4, 3, {.padding = causal}));
  x = prelu(batch_norm(x, "layers.2", {.epsilon = 0.01}), "layers.3.weight", 4);
  x = tanh(conv1d(x, "layers.4", 4, 1));
  x = tanh(conv1d(x, "layers.5", 6, 3, {.dilation = 2, .padding = causal, .groups = 2}));
  x = prelu(batch_norm(x, "layers.6", {.epsilon = 5}), "layers.7.weight", 1);
  g.output("y", sigmoid(linear(x, "layers.8", 1)));
});

constexpr auto planes = model("conv2d", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 23, 1});
  x = conv2d(x, "layers.0", 2, 5, {.dilation = {2, 1}});
  x = relu(batch_norm(x, "layers.1", {.epsilon = 5}));
  // TensorFlow's `same`: the smaller half of the padding comes first.
  x = pad(pad(x, axis(1), 1, 2), axis(2), 1, 1);
  x = conv2d(x, "layers.3", 3, {4, 3}, {.stride = {1, 2}});
  x = batch_norm(x, "layers.4", {.epsilon = 0.01});
  g.output("y", conv2d(x, "layers.5", 1, {2, 3}, {.dilation = {3, 1}}));
});

constexpr auto gated = model("gru", [](graph& g) {
  expr x = tanh(linear(g.input<f32>("x", {B, T, 1}), "layers.0", 8));
  x = gru(x, "layers.1", 8);
  g.output("y", linear(sigmoid(linear(x, "layers.2", 8)), "layers.3", 1));
});

constexpr auto memory = model("lstm_1d", [](graph& g) {
  g.output("y", linear(lstm(g.input<f32>("x", {B, T, 1}), "layers.0", 8), "layers.1", 1));
});

constexpr auto stacked = model("lstm_torch", [](graph& g) {
  const expr x = lstm(g.input<f32>("x", {B, T, 1}), "lstm", 8);
  g.output("y", linear(lstm(x, "lstm2", 8, {.layers = 3}), "dense", 1));
});

/// What RTNeural's sequential models cannot say: the input added to the output, as effects' models do, and
/// two stacks side by side.
constexpr auto residual = model("lstm_residual", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 1});
  g.output("y", linear(lstm(x, "layers.0", 8), "layers.1", 1) + x);
});
constexpr auto parallel = model("two_lstms", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 1});
  const auto stack = [&](const char* name) {
    const scope names(x, name);
    return linear(lstm(x, "layers.0", 8), "layers.1", 1);
  };
  const expr first = stack("first");
  g.output("y", first * stack("second") + x);
});

constexpr auto one_layer = std::to_array<name_rule>({{"conv.weight", "weight"}, {"conv.bias", "bias"}});

constexpr auto wide = model(
    "conv1d_torch",
    [](graph& g) {
      g.output("y", conv1d(g.input<f32>("x", {B, T, 1}), "conv", 12, 5));
    },
    one_layer);
constexpr auto grouped = model(
    "conv1d_torch_group",
    [](graph& g) {
      g.output("y", conv1d(g.input<f32>("x", {B, T, 6}), "conv", 3, 3, {.groups = 3}));
    },
    one_layer);
constexpr auto widened = model(
    "convtranspose1d_torch",
    [](graph& g) {
      g.output("y",
               conv_transpose1d(g.input<f32>("x", {B, T, 4}), "conv", 15, 5, {.stride = 3, .padding = 3}));
    },
    one_layer);

} // namespace

TEST_CASE("RTNeural's dense network", "[rtneural]") {
  auto x = numbers("dense_x_python");
  check_network(dense, trained("dense"), {{x.size(), 1}, x}, numbers("dense_y_python"), 1e-6, 5e-7);
}

TEST_CASE("RTNeural's convolutions over time, with norms and slopes", "[rtneural]") {
  const model_weights from = trained("conv");
  CHECK(from.metadata().at("layers.6.epsilon") == "5.0");
  check_network(convolutions, from, sequence("conv_x_python"), numbers("conv_y_python"), 1e-6, 5e-7);
  check_stream<T>(convolutions, {{"x", sequence("conv_x_python")}}, from);
}

TEST_CASE("RTNeural's convolutions over planes", "[rtneural]") {
  check_network(planes, trained("conv2d"), {{1, 50, 23, 1}, numbers("conv2d_x_python")},
                numbers("conv2d_y_python"), 1e-6, 5e-7);
}

TEST_CASE("RTNeural's recurrent networks", "[rtneural]") {
  const auto check = [](const auto& network, const std::string& name, double most, double most_exact) {
    const golden_tensor x = sequence(name + "_x_python");
    check_network(network, trained(name), x, numbers(name + "_y_python"), most, most_exact);
    check_stream<T>(network, {{"x", x}}, trained(name));
  };
  check(gated, "gru", 1e-6, 5e-7);
  check(memory, "lstm_1d", 1e-6, 5e-7);
  check(stacked, "lstm_torch", 1e-6, 5e-7);
}

TEST_CASE("PyTorch's convolutions from RTNeural's files", "[rtneural]") {
  const auto y = [](const std::string& name, std::size_t channels) {
    return channels_last(numbers(name), channels).values;
  };
  check_network(wide, trained("conv1d_torch"), sequence("conv1d_torch_x_python"),
                y("conv1d_torch_y_python", 12), 2e-6, 1e-6);
  const auto six = numbers("conv1d_torch_group_x_python");
  check_network(grouped, trained("conv1d_torch_group_6_3_3_1_3"), {{1, six.size() / 6, 6}, six},
                y("conv1d_torch_group_y_python_6_3_3_1_3", 3), 2e-6, 1e-6);
  check_network(widened, trained("convtranspose1d_torch"),
                channels_last(numbers("convtranspose1d_torch_x_python"), 4),
                y("convtranspose1d_torch_y_python", 15), 2e-6, 1e-6);
}

TEST_CASE("residual and parallel networks from RTNeural's weights", "[rtneural]") {
  const golden_tensor x = sequence("lstm_1d_x_python");
  std::vector<double> plain = numbers("lstm_1d_y_python"), added = plain, squared = plain;
  for (std::size_t t = 0; t < plain.size(); ++t) {
    added[t] += x.values[t];
    squared[t] = plain[t] * plain[t] + x.values[t];
  }
  const model_weights from = trained("lstm_1d");
  check_network(residual, from, x, added, 2e-6, 1e-6);
  check_stream<T>(residual, {{"x", x}}, from);

  std::map<std::string, weight_tensor> twice;
  for (const auto& [name, tensor] : from.tensors()) {
    const auto* values = reinterpret_cast<const float*>(tensor.bytes.data());
    const weight_tensor copy{tensor.shape, {values, values + tensor.bytes.size() / sizeof(float)}};
    twice["first." + name] = twice["second." + name] = copy;
  }
  check_network(parallel, model_weights::from(twice), x, squared, 2e-6, 1e-6);
  check_stream<T>(parallel, {{"x", x}}, model_weights::from(twice));
}
