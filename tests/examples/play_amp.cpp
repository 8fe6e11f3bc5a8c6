#include <play_amp/amp_network.hpp>
#include <play_amp/networks.hpp>

#include "../weights/temporary_folder.hpp"
#include "amp_formula.hpp"
#include "nam_files.hpp"

#include <fovea/base/error.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace play_amp_program;
using nlohmann::json;

TEST_CASE("each network plays as its formula says, in blocks of any length and anew", "[play_amp]") {
  for (const network_shape& shape : known_shapes()) check_amp(shape, network_of);
  check_amp(a2_max, network_of,
            {{.conv = 3, .layer1x1 = 3, .head1x1 = 3},
             {.head1x1 = 2},
             {.mix = 4, .layer1x1 = 2, .head1x1 = 2, .films = {2, 4, 4, 2, 1, 2, 8, 4}}});
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

TEST_CASE("a file says what most networks lack", "[play_amp]") {
  const temporary_folder folder;
  json file = wavenet_file();
  file["config"]["layers"][0].update(
      {{"gated", true}, {"groups_input", 2}, {"groups_input_mixin", 3}, {"layer1x1", {{"active", false}}}});
  json& array = file["config"]["layers"][1];
  array.erase("head_size"), array.erase("head_bias");
  array["head"] = {{"out_channels", 1}, {"kernel_size", 3}, {"head_dilation", 2}, {"bias", false}};
  array["dilations"] = {1, 2, 3};
  array["bottleneck"] = 2 * 2;
  array["activation"] = {"Fasttanh", {{"type", "PReLU"}, {"negative_slopes", {0.1, 0.2, 0.3, 0.4}}}, "PReLU"};
  array["gating_mode"] = {"none", "gated", "blended"};
  array["secondary_activation"] = {"",
                                   {{"type", "LeakyHardTanh"}, {"min_val", -2}, {"max_slope", 0.5}},
                                   {{"type", "PReLU"}, {"negative_slope", 0.7}}};
  array["head1x1"] = {{"active", true}, {"out_channels", 6}, {"groups", 2}};
  array["layer1x1"] = {{"active", true}, {"groups", 4}};
  array["conv_pre_film"] = {{"active", true}, {"shift", false}, {"groups", 2}};
  array["conv_post_film"] = false;
  array["head1x1_post_film"] = {{"groups", 5}};
  const nam_file read = read_nam(folder.write("x.nam", file.dump()));
  CHECK(text_of(read.shape) ==
        "WaveNet: 3 channels, dilations 1 2, taps 3, Tanh gated by Sigmoid, no layer1x1, head 2; "
        "2 channels, dilations 1 2 3, taps 3, Fasttanh PReLU gated by LeakyHardtanh -2 to 1, slopes 0.01 and "
        "0.5 "
        "PReLU blended by PReLU, bottleneck 4, head1x1 6, conv_pre_film without shift, head1x1_post_film, "
        "head 1 of "
        "3 taps dilated by 2");
  CHECK(read.groups ==
        std::vector<array_groups>{{.conv = 2, .mix = 3},
                                  {.layer1x1 = 4, .head1x1 = 2, .films = {2, 1, 1, 1, 1, 1, 1, 5}}});
  CHECK(read.slopes ==
        std::vector{0.1f, 0.2f, 0.3f, 0.4f, 0.01f, 0.01f, 0.01f, 0.01f, 0.7f, 0.7f, 0.7f, 0.7f});

  json post = wavenet_file();
  post["config"]["head"] = {
      {"channels", 5}, {"out_channels", 1}, {"kernel_sizes", {3, 2}}, {"activation", "Tanh"}};
  CHECK(text_of(read_nam(folder.write("x.nam", post.dump())).shape)
            .ends_with("head 1 with bias; Tanh, 3 taps, 5 channels; Tanh, 2 taps, 1 channel"));

  json conditioned = wavenet_file();
  conditioned["config"]["condition_dsp"] = wavenet_file();
  const std::string plain = text_of(read_nam(folder.write("y.nam", wavenet_file().dump())).shape);
  CHECK(text_of(read_nam(folder.write("x.nam", conditioned.dump())).shape) ==
        plain + "; condition by a " + plain);
}

TEST_CASE("a size cuts a network to the first of its channels", "[play_amp]") {
  const temporary_folder folder;
  json array{
      {"input_size", 1},      {"condition_size", 1}, {"head_size", 1},
      {"head_bias", false},   {"kernel_size", 1},    {"dilations", {1}},
      {"activation", "ReLU"}, {"channels", 2},       {"slimmable", {{"method", "slice_channels_uniform"}}}};
  json weights = json::array();
  for (int i = 1; i <= 19; ++i) weights.push_back(i);
  json file{{"architecture", "WaveNet"}, {"config", {{"layers", {array}}}}, {"weights", weights}};
  const auto read = [&](double size) { return read_nam(folder.write("x.nam", file.dump()), size); };
  const auto channels = [&](double size) {
    return std::get<wavenet_shape>(read(size).shape).arrays[0].channels;
  };
  CHECK(channels(0) == 1);
  CHECK(channels(0.49) == 1);
  CHECK(channels(0.5) == 2);
  CHECK(channels(1) == 2);
  // Of rechannel [2, 1], conv [2, 2] and bias [2], mix [2, 1], layer1x1 [2, 2] and bias [2], head [1, 2], scale.
  CHECK(read(0).weights == std::vector<float>{1, 3, 7, 9, 11, 15, 17, 19});

  const json of_one{{{"max_value", 1}, {"model", file}}};
  const json container{{"architecture", "SlimmableContainer"}, {"config", {{"submodels", of_one}}}};
  const nam_file whole = read_nam(folder.write("y.nam", container.dump()), 0);
  CHECK(std::get<wavenet_shape>(whole.shape).arrays[0].channels == 2); // the size chose among networks

  json next = array;
  next["input_size"] = 2, array["head_size"] = 2;
  file["config"]["layers"] = {array, next};
  file["weights"] = some_weights(41);
  const auto both = std::get<wavenet_shape>(read(0).shape);
  CHECK(both.arrays[0].head == 1);
  CHECK(both.arrays[1].channels == 1);
  CHECK(read(0).weights.size() == 7 + 8);

  const auto problem = [&] { return message_of<fovea::error>([&] { read(0); }); };
  const std::string name = (folder / "x.nam").string();
  file["weights"] = some_weights(40);
  CHECK(problem() == name + ": weights: expected 41 numbers; found 40");
  file["config"]["layers"][1]["groups_input"] = 2;
  CHECK(problem() ==
        name + ": expected a size of 1, as networks with groups, PReLU or a head of several taps have; "
               "found 0");
  file["config"]["layers"][1]["slimmable"]["kwargs"]["allowed_channels"] = {1, 3};
  CHECK(problem() ==
        name + ": config.layers[1].slimmable.kwargs.allowed_channels: expected numbers that rise to the 2 "
               "channels; found [1,3]");
  file["config"]["layers"][1]["slimmable"]["method"] = "other";
  CHECK(problem() ==
        name + ": config.layers[1].slimmable.method: expected \"slice_channels_uniform\"; found \"other\"");
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
  CHECK_THROWS_WITH(is_lstm(-0.1), "size: expected a number from 0 to 1, found -0.1");
  CHECK_THROWS_WITH(is_lstm(std::nan("")), "size: expected a number from 0 to 1, found nan");
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
        "config.condition_dsp.architecture: expected WaveNet; found \"LSTM\"");
  json with_condition = wavenet_file(), short_condition = wavenet_file();
  with_condition["config"]["condition_dsp"] = wavenet_file();
  short_condition["weights"] = some_weights(130);
  CHECK(with("/config/condition_dsp", short_condition, wavenet_file()) ==
        "config.condition_dsp.weights: expected 131 numbers; found 130");
  CHECK(with("/config/condition_dsp/config/condition_dsp", lstm_file(), with_condition) ==
        "config.condition_dsp.config.condition_dsp: expected null; found object");
  const json head{{"channels", 5}, {"out_channels", 1}, {"kernel_sizes", {3, 2}}, {"activation", "PReLU"}};
  CHECK(with("/config/head", head, wavenet_file()) ==
        "config.head.activation: expected none with slopes; found \"PReLU\"");
  CHECK(with("/config/layers", json::array(), wavenet_file())
            .starts_with("config.layers: expected a list; found "));
  CHECK(
      of_array("activation", "GELU") ==
      "config.layers[1].activation: expected one of Tanh, Fasttanh, ReLU, Sigmoid, SiLU, Softsign, Hardtanh, "
      "Hardswish, LeakyReLU, PReLU, LeakyHardtanh; found \"GELU\"");
  CHECK(of_array("activation", {{"type", "PReLU"}, {"negative_slopes", {0.1}}}) ==
        "config.layers[1].activation.negative_slopes: expected 2 numbers, one for each feature; found [0.1]");
  CHECK(of_array("activation", {{"type", "Tanh"}, {"scale", 2}}) ==
        "config.layers[1].activation: expected no 'scale', which this program does not know");
  CHECK(of_array("gating_mode", "mixed") ==
        "config.layers[1].gating_mode: expected none, gated or blended; found \"mixed\"");
  CHECK(of_array("kernel_size", json{3, 3}) ==
        "config.layers[1].kernel_size: expected 1, one for each layer; found 2");
  CHECK(of_array("input_size", 4) == "config.layers[1].input_size: expected 3; found 4");
  CHECK(of_array("condition_size", 2) == "config.layers[1].condition_size: expected 1; found 2");
  CHECK(of_array("head1x1_post_film", {{"active", true}}) ==
        "config.layers[1].head1x1_post_film: expected none without a head1x1; found object");
  CHECK(of_array("dilations", some_weights(33)) ==
        "config.layers[1].dilations: expected at most 32 layers; found 33");

  // Of a shape that the program is not compiled for.
  const auto shape_found = [&](const char* key, const json& value) {
    const std::string message = of_array(key, value),
                      before = "examples/play_amp/networks.hpp takes more); found \"";
    const auto at = message.find(before);
    REQUIRE(at != std::string::npos);
    return message.substr(message.find("; ", at + before.size()) + 2);
  };
  CHECK(shape_found("gated", true) ==
        "2 channels, dilations 8, taps 3, Tanh gated by Sigmoid, head 1 with bias\"");
  CHECK(shape_found("bottleneck", 1) ==
        "2 channels, dilations 8, taps 3, Tanh, bottleneck 1, head 1 with bias\"");
  CHECK(shape_found("activation_pre_film", json::object()) ==
        "2 channels, dilations 8, taps 3, Tanh, activation_pre_film, head 1 with bias\"");
  CHECK(of_array("groups_input", 4) ==
        "arrays.1.layers.0.conv.weight: expected groups that divide 2 and 2 features; found 4");
  CHECK(of_array("groups_input", 2).starts_with("weights: expected 125 numbers for "));
}
