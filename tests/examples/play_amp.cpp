#include <play_amp/amp_network.hpp>
#include <play_amp/networks.hpp>

#include "../weights/temporary_folder.hpp"

#include <fovea/base/error.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

using namespace play_amp_program;
using nlohmann::json;

namespace {

json some_weights(std::size_t count) {
  json made = json::array();
  for (std::size_t i = 0; i < count; ++i) made.push_back(0.4 * std::sin(1.7 * static_cast<double>(i) + 0.5));
  return made;
}

/// A file of the shape `wavenet_3_2`, in the words of early files.
json wavenet_file() {
  const json first{{"input_size", 1},      {"condition_size", 1}, {"head_size", 2},
                   {"channels", 3},        {"kernel_size", 3},    {"dilations", {1, 2}},
                   {"activation", "Tanh"}, {"gated", false},      {"head_bias", false}};
  const json second{{"input_size", 3},      {"condition_size", 1}, {"head_size", 1},
                    {"channels", 2},        {"kernel_size", 3},    {"dilations", {8}},
                    {"activation", "Tanh"}, {"gated", false},      {"head_bias", true}};
  return {{"version", "0.5.4"},
          {"architecture", "WaveNet"},
          {"config", {{"layers", {first, second}}, {"head", nullptr}, {"head_scale", 0.02}}},
          {"weights", some_weights(131)}};
}

json lstm_file() {
  return {{"version", "0.5.4"},
          {"architecture", "LSTM"},
          {"config", {{"input_size", 1}, {"hidden_size", 3}, {"num_layers", 1}}},
          {"weights", some_weights(70)},
          {"sample_rate", 48000}};
}

/// The formulas of the format in double, with weights taken from the list one after another.
struct formula {
  using rows = std::vector<std::vector<double>>; // [channels][time]

  const std::vector<float>& weights;
  std::size_t at = 0;

  double next() { return static_cast<double>(weights.at(at++)); }

  rows convolved(const rows& x, int out, int taps, int dilation, bool bias) {
    rows y(static_cast<std::size_t>(out), std::vector<double>(x[0].size()));
    for (auto& row : y)
      for (const auto& channel : x)
        for (int k = 0; k < taps; ++k) {
          const double weight = next();
          const auto back = static_cast<std::size_t>(dilation * (taps - 1 - k));
          for (std::size_t t = back; t < row.size(); ++t) row[t] += weight * channel[t - back];
        }
    if (bias)
      for (auto& row : y) {
        const double added = next();
        for (double& value : row) value += added;
      }
    return y;
  }

  static rows sum(rows a, const rows& b) {
    for (std::size_t c = 0; c < a.size(); ++c)
      for (std::size_t t = 0; t < a[c].size(); ++t) a[c][t] += b[c][t];
    return a;
  }
  static double activated(const layer_shape& layer, double z) {
    return layer.function == activation::tanh ? std::tanh(z)
           : z > 0                            ? z
                                              : static_cast<double>(layer.slope) * z;
  }
  static double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

  std::vector<double> played(const wavenet_shape& shape, const std::vector<double>& samples) {
    const rows signal{samples};
    rows x = signal, head;
    for (std::size_t i = 0; i < shape.count; ++i) {
      const array_shape& array = shape.arrays[i];
      x = convolved(x, array.channels, 1, 1, false);
      if (head.empty()) head.assign(x.size(), std::vector<double>(x[0].size()));
      for (std::size_t j = 0; j < array.count; ++j) {
        const layer_shape& layer = array.layers[j];
        rows a = convolved(x, array.channels, layer.taps, layer.dilation, true);
        a = sum(a, convolved(signal, array.channels, 1, 1, false));
        for (auto& row : a)
          for (double& value : row) value = activated(layer, value);
        head = sum(head, a);
        x = sum(x, convolved(a, array.channels, 1, 1, true));
      }
      head = convolved(head, array.head, array.head_taps, 1, array.head_bias);
    }
    const double scale = next();
    for (double& value : head[0]) value *= scale;
    return head[0];
  }

  std::vector<double> played(const lstm_shape& shape, const std::vector<double>& samples) {
    const auto hidden = static_cast<std::size_t>(shape.hidden);
    const auto taken = [&](std::size_t count) {
      std::vector<double> made(count);
      for (double& value : made) value = next();
      return made;
    };
    rows steps; // [time][features]
    for (const double sample : samples) steps.push_back({sample});
    for (int layer = 0; layer < shape.layers; ++layer) {
      const std::size_t width = steps[0].size() + hidden;
      const auto matrix = taken(4 * hidden * width), bias = taken(4 * hidden);
      auto h = taken(hidden), c = taken(hidden);
      for (auto& step : steps) {
        step.insert(step.end(), h.begin(), h.end());
        const auto gate = [&](std::size_t which, std::size_t i) {
          const std::size_t row = which * hidden + i;
          double made = bias[row];
          for (std::size_t k = 0; k < width; ++k) made += matrix[row * width + k] * step[k];
          return made;
        };
        for (std::size_t i = 0; i < hidden; ++i) {
          c[i] = sigmoid(gate(1, i)) * c[i] + sigmoid(gate(0, i)) * std::tanh(gate(2, i));
          h[i] = sigmoid(gate(3, i)) * std::tanh(c[i]);
        }
        step = h;
      }
    }
    const auto head = taken(hidden + 1);
    std::vector<double> y;
    for (const auto& step : steps)
      y.push_back(std::inner_product(step.begin(), step.end(), head.begin(), head[hidden]));
    return y;
  }
};

/// How many samples of silence a network hears first: whole blocks, for a file without a rate.
std::size_t silence(const network_shape& shape) {
  constexpr std::size_t block = 64;
  const auto* const wavenet = std::get_if<wavenet_shape>(&shape);
  const std::size_t least = wavenet == nullptr ? 1 : static_cast<std::size_t>(wavenet->sees());
  return (least + block - 1) / block * block;
}

} // namespace

TEST_CASE("each network plays as its formula says, in blocks of any length and anew", "[play_amp]") {
  constexpr std::size_t samples = 300;
  for (const network_shape& shape : known_shapes()) {
    INFO(text_of(shape));
    nam_file file{"made.nam", shape, {}, {}};
    for (std::size_t i = 0; i < 20000; ++i)
      file.weights.push_back(0.15f * std::sin(1.7f * static_cast<float>(i) + 0.5f));
    std::vector<double> heard(silence(shape));
    for (std::size_t i = 0; i < samples; ++i) heard.push_back(0.7 * std::sin(0.31 * static_cast<double>(i)));
    formula direct{file.weights};
    auto expected = std::visit([&](const auto& one) { return direct.played(one, heard); }, shape);
    expected.erase(expected.begin(), expected.end() - samples);
    const double peak =
        std::abs(*std::ranges::max_element(expected, {}, [](double value) { return std::abs(value); }));
    file.weights.resize(direct.at);

    const auto check = [&](amp_network& network, std::initializer_list<std::size_t> lengths) {
      std::vector<float> played(heard.end() - samples, heard.end());
      std::size_t from = 0;
      for (const std::size_t length : lengths) {
        network.play(std::span(played).subspan(from, length));
        from += length;
      }
      REQUIRE(from == samples);
      double worst = 0;
      for (std::size_t i = 0; i < samples; ++i)
        worst = std::max(worst, std::abs(static_cast<double>(played[i]) - expected[i]));
      CHECK(worst < 1e-5 * peak);
    };
    const auto network = network_of(file);
    check(*network, {samples});
    check(*network->fresh(), {1, 1, 63, 64, 65, 0, 106});
  }
}

TEST_CASE("a file says the shape of its network", "[play_amp]") {
  const temporary_folder folder;
  const auto read = [&](const json& content) { return read_nam(folder.write("x.nam", content.dump())); };
  const nam_file wavenet = read(wavenet_file());
  CHECK(wavenet.shape == network_shape(wavenet_3_2));
  CHECK(text_of(wavenet.shape) == "WaveNet: 3 channels, dilations 1 2, taps 3, Tanh, head 2; "
                                  "2 channels, dilations 8, taps 3, Tanh, head 1 with bias");
  CHECK(wavenet.weights.size() == 131);
  CHECK_FALSE(wavenet.sample_rate);
  const nam_file recurrent = read(lstm_file());
  CHECK(recurrent.shape == network_shape(lstm_3));
  CHECK(text_of(recurrent.shape) == "LSTM: 1 layer of 3");
  CHECK(recurrent.sample_rate == 48000.0);

  json later = wavenet_file();
  json& array = later["config"]["layers"][1];
  array.erase("head_size"), array.erase("head_bias"), array.erase("kernel_size");
  array["head"] = {{"out_channels", 1}, {"kernel_size", 16}, {"bias", true}};
  array["dilations"] = {1, 3}, array["kernel_sizes"] = {6, 15};
  array["activation"] = {{{"type", "LeakyReLU"}, {"negative_slope", 0.2}}, "LeakyReLU"};
  array["gating_mode"] = {"none", "none"};
  array["conv_pre_film"] = {{"active", false}, {"shift", true}, {"groups", 1}};
  array["layer1x1"] = {{"active", true}, {"groups", 1}};
  CHECK(text_of(read(later).shape) ==
        "WaveNet: 3 channels, dilations 1 2, taps 3, Tanh, head 2; "
        "2 channels, dilations 1 3, taps 6 15, LeakyReLU 0.2 LeakyReLU 0.01, head 1 of 16 taps with bias");
}

TEST_CASE("a size chooses among the networks of a container", "[play_amp]") {
  const temporary_folder folder;
  const json container{
      {"version", "0.7.0"},
      {"architecture", "SlimmableContainer"},
      {"config",
       {{"submodels",
         {{{"max_value", 0.5}, {"model", lstm_file()}}, {{"max_value", 1.0}, {"model", wavenet_file()}}}}}},
      {"weights", json::array()}};
  const auto path = folder.write("x.nam", container.dump());
  const auto is_lstm = [&](double size) {
    return std::holds_alternative<lstm_shape>(read_nam(path, size).shape);
  };
  CHECK(is_lstm(0));
  CHECK(is_lstm(0.49));
  CHECK_FALSE(is_lstm(0.5));
  CHECK_FALSE(is_lstm(1));
}

TEST_CASE("what the program does not play is refused by name", "[play_amp]") {
  const temporary_folder folder;
  const auto problem = [&](const json& content) {
    const auto path = folder.write("x.nam", content.dump());
    const std::string whole = message_of<fovea::error>([&] { network_of(read_nam(path)); });
    REQUIRE(whole.starts_with(path.string() + ": "));
    return whole.substr(path.string().size() + 2);
  };
  const auto with = [&](const char* where, const json& value, json file) {
    file[json::json_pointer(where)] = value;
    return problem(file);
  };
  CHECK(problem(json::array()) == "the file: expected an object; found []");
  json without = lstm_file();
  without["config"].erase("hidden_size");
  CHECK(problem(without) == "expected config.hidden_size; found none");
  CHECK(with("/architecture", "ConvNet", lstm_file()) ==
        "architecture: expected WaveNet, LSTM or SlimmableContainer; found \"ConvNet\"");
  CHECK(with("/weights", some_weights(71), lstm_file()) ==
        "weights: expected 70 numbers for \"LSTM: 1 layer of 3\"; found 71");
  CHECK(with("/weights/3", "x", lstm_file()) == "weights: expected numbers; found \"x\"");
  CHECK(with("/sample_rate", 0, lstm_file()) == "sample_rate: expected 1000 to 1000000 Hz; found 0");
  CHECK(with("/config/input_size", 2, lstm_file()) == "config.input_size: expected 1; found 2");
  CHECK(with("/config/hidden_size", 0.5, lstm_file()) ==
        "config.hidden_size: expected a whole number from 1 to 32767; found 0.5");
  CHECK(with("/config/bidirectional", true, lstm_file()) ==
        "config: expected no 'bidirectional', which this program does not know");
  CHECK(with("/config/num_layers", 2, lstm_file()) ==
        "expected a network that the program is compiled for (--networks lists them, "
        "examples/play_amp/networks.hpp takes more); found \"LSTM: 2 layers of 3\"");

  const auto of_array = [&](const char* key, const json& value) {
    return with((std::string("/config/layers/1/") + key).c_str(), value, wavenet_file());
  };
  CHECK(with("/config/condition_dsp", lstm_file(), wavenet_file()) ==
        "config.condition_dsp: expected null; found object");
  CHECK(with("/config/layers", json::array(), wavenet_file())
            .starts_with("config.layers: expected a list; found "));
  CHECK(of_array("activation", "PReLU") == "config.layers[1].activation: expected one of Tanh, ReLU, "
                                           "Sigmoid, SiLU, Softsign, Hardtanh, Hardswish, "
                                           "LeakyReLU; found \"PReLU\"");
  CHECK(of_array("gated", true) == "config.layers[1].gated: expected false; found true");
  CHECK(of_array("gating_mode", "blended") ==
        "config.layers[1].gating_mode: expected \"none\"; found \"blended\"");
  CHECK(of_array("kernel_size", json{3, 3}) ==
        "config.layers[1].kernel_size: expected 1, one for each layer; found 2");
  CHECK(of_array("input_size", 4) == "config.layers[1].input_size: expected 3; found 4");
  CHECK(of_array("bottleneck", 1) == "config.layers[1].bottleneck: expected 2; found 1");
  CHECK(of_array("conv_pre_film", {{"active", true}}) ==
        "config.layers[1].conv_pre_film.active: expected false; found true");
  CHECK(of_array("layer1x1", {{"active", true}, {"groups", 2}}) ==
        "config.layers[1].layer1x1.groups: expected 1; found 2");
  CHECK(of_array("dilations", some_weights(33)) ==
        "config.layers[1].dilations: expected at most 32 layers; found 33");
}
