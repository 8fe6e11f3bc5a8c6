#include "nam_file.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace play_amp_program {

using namespace fovea::core;
using nlohmann::json;

namespace {

constexpr int most = 32767; // of channels, taps and dilations

constexpr std::array films{"conv_pre_film",         "conv_post_film",      "input_mixin_pre_film",
                           "input_mixin_post_film", "activation_pre_film", "activation_post_film",
                           "layer1x1_post_film",    "head1x1_post_film"};

class reader {
public:
  explicit reader(std::string source) : source_(std::move(source)) {}

  nam_file read(const json& network, double size) const {
    const json& architecture = member(network, "", "architecture");
    if (architecture == "SlimmableContainer") return read(chosen(network, size), size);
    const json& config = member(network, "", "config");
    nam_file made{source_, {}, weights(network), rate(network)};
    if (architecture == "WaveNet")
      made.shape = wavenet(config);
    else if (architecture == "LSTM")
      made.shape = lstm(config);
    else
      fail("architecture", "WaveNet, LSTM or SlimmableContainer", architecture);
    return made;
  }

private:
  [[noreturn]] void fail(const std::string& what, const std::string& expected, const json& found) const {
    throw error(fmt::format("{}: {}: expected {}; found {}", source_, what, expected, shown(found)));
  }

  // The members of an object that lies at `where`, empty for the whole file.

  static std::string path(const std::string& where, const char* key) {
    return where.empty() ? key : where + "." + key;
  }
  const json& member(const json& of, const std::string& where, const char* key) const {
    if (!of.is_object()) fail(where.empty() ? "the file" : where, "an object", of);
    const auto found = of.find(key);
    if (found == of.end()) throw error(fmt::format("{}: expected {}; found none", source_, path(where, key)));
    return *found;
  }
  const json& list(const json& of, const std::string& where, const char* key) const {
    const json& found = member(of, where, key);
    if (!found.is_array() || found.empty()) fail(path(where, key), "a list", found);
    return found;
  }
  int number(const json& value, const std::string& where) const {
    if (!value.is_number_integer() || value < 1 || value > most)
      fail(where, fmt::format("a whole number from 1 to {}", most), value);
    return value.get<int>();
  }
  int number(const json& of, const std::string& where, const char* key) const {
    return number(member(of, where, key), path(where, key));
  }
  bool flag(const json& of, const std::string& where, const char* key) const {
    const json& value = member(of, where, key);
    if (!value.is_boolean()) fail(path(where, key), "true or false", value);
    return value.get<bool>();
  }
  /// What may be left out, but is nothing else.
  void expect(const json& of, const std::string& where, const char* key, const json& expected) const {
    const auto found = of.find(key);
    if (found != of.end() && *found != expected) fail(path(where, key), expected.dump(), *found);
  }
  /// What the format adds later may change what is computed.
  void expect_known(const json& of, const std::string& where,
                    std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : of.items())
      if (std::ranges::find(keys, key) == keys.end() && std::ranges::find(films, key) == films.end())
        throw error(fmt::format("{}: {}: expected no {}, which this program does not know", source_, where,
                                in_quotes(key)));
  }

  /// Of a container's networks.
  const json& chosen(const json& container, double size) const {
    const json& all = list(member(container, "", "config"), "config", "submodels");
    for (const json& one : all) {
      const json& end = member(one, "submodels", "max_value");
      if (!end.is_number()) fail("submodels.max_value", "a number", end);
      if (size < end.get<double>()) return member(one, "submodels", "model");
    }
    return member(all.back(), "submodels", "model");
  }

  std::vector<float> weights(const json& network) const {
    std::vector<float> made;
    for (const json& value : list(network, "", "weights")) {
      if (!value.is_number()) fail("weights", "numbers", value);
      made.push_back(value.get<float>());
    }
    return made;
  }
  std::optional<double> rate(const json& network) const {
    const auto found = network.find("sample_rate");
    if (found == network.end() || found->is_null()) return std::nullopt;
    constexpr double least = 1000, highest = 1e6;
    if (!found->is_number() || *found < least || *found > highest)
      fail("sample_rate", fmt::format("{} to {} Hz", least, highest), *found);
    return found->get<double>();
  }

  lstm_shape lstm(const json& config) const {
    const lstm_shape made{.layers = number(config, "config", "num_layers"),
                          .hidden = number(config, "config", "hidden_size")};
    expect(config, "config", "input_size", 1);
    expect_known(config, "config", {"input_size", "hidden_size", "num_layers"});
    return made;
  }

  wavenet_shape wavenet(const json& config) const {
    const json& arrays = list(config, "config", "layers");
    if (arrays.size() > wavenet_shape::most_arrays)
      fail("config.layers", fmt::format("at most {} arrays", wavenet_shape::most_arrays), arrays.size());
    expect(config, "config", "in_channels", 1);
    expect(config, "config", "head", nullptr);
    expect(config, "config", "condition_dsp", nullptr);
    // What scales the output is the last of the weights.
    expect_known(config, "config", {"layers", "in_channels", "head", "head_scale", "condition_dsp"});
    wavenet_shape made;
    int in = 1;
    for (const json& one : arrays) {
      const std::string where = fmt::format("config.layers[{}]", made.count);
      array_shape& to = made.arrays[made.count++];
      to = array(one, where);
      expect(one, where, "input_size", in);
      in = to.channels;
    }
    return made;
  }

  array_shape array(const json& config, const std::string& where) const {
    array_shape made{.channels = number(config, where, "channels")};
    if (config.contains("head") && !config["head"].is_null()) {
      const std::string at = where + ".head";
      const json& head = config["head"];
      made.head = number(head, at, "out_channels"), made.head_taps = number(head, at, "kernel_size");
      made.head_bias = flag(head, at, "bias");
    } else {
      made.head = number(config, where, "head_size"), made.head_bias = flag(config, where, "head_bias");
    }
    const json& dilations = list(config, where, "dilations");
    made.count = dilations.size();
    if (made.count > array_shape::most_layers)
      fail(where + ".dilations", fmt::format("at most {} layers", array_shape::most_layers), made.count);
    const char* taps = config.contains("kernel_sizes") ? "kernel_sizes" : "kernel_size";
    for (std::size_t i = 0; i < made.count; ++i) {
      made.layers[i].dilation = number(dilations[i], where + ".dilations");
      made.layers[i].taps = number(of_layer(config, where, taps, i, made.count), path(where, taps));
      set_activation(made.layers[i], of_layer(config, where, "activation", i, made.count),
                     where + ".activation");
      if (config.contains("gating_mode"))
        if (const json& mode = of_layer(config, where, "gating_mode", i, made.count); mode != "none")
          fail(where + ".gating_mode", "\"none\"", mode);
    }
    expect_plain(config, where, made.channels);
    return made;
  }
  /// What is one for all layers of an array, or a list of one for each.
  const json& of_layer(const json& config, const std::string& where, const char* key, std::size_t i,
                       std::size_t count) const {
    const json& found = member(config, where, key);
    if (!found.is_array()) return found;
    if (found.size() != count)
      fail(path(where, key), fmt::format("{}, one for each layer", count), found.size());
    return found[i];
  }
  void set_activation(layer_shape& layer, const json& said, const std::string& where) const {
    const json& name = said.is_object() ? member(said, where, "type") : said;
    const auto function =
        std::ranges::find_if(activations, [&](activation one) { return name == name_of(one); });
    if (function == activations.end()) {
      std::string known;
      for (const activation one : activations)
        known += (known.empty() ? "" : ", ") + std::string(name_of(one));
      fail(where, "one of " + known, name);
    }
    layer.function = *function;
    if (layer.function != activation::leaky_relu) return;
    layer.slope = 0.01f;
    if (!said.is_object() || !said.contains("negative_slope")) return;
    if (!said["negative_slope"].is_number())
      fail(where + ".negative_slope", "a number", said["negative_slope"]);
    layer.slope = said["negative_slope"].get<float>();
  }
  /// That the array has nothing but what array_shape says.
  void expect_plain(const json& config, const std::string& where, int channels) const {
    expect(config, where, "condition_size", 1);
    expect(config, where, "gated", false);
    expect(config, where, "bottleneck", channels);
    expect(config, where, "groups_input", 1);
    expect(config, where, "groups_input_mixin", 1);
    const auto expect_part = [&](const char* key, bool active) {
      const auto found = config.find(key);
      if (found == config.end()) return;
      static_cast<void>(flag(*found, path(where, key), "active"));
      expect(*found, path(where, key), "active", active);
      if (active) expect(*found, path(where, key), "groups", 1);
    };
    for (const char* film : films) expect_part(film, false);
    expect_part("head1x1", false);
    expect_part("layer1x1", true);
    // A network that may be sliced to fewer channels is played with all of them.
    expect_known(config, where,
                 {"input_size", "condition_size", "channels", "bottleneck", "kernel_size", "kernel_sizes",
                  "dilations", "activation", "secondary_activation", "gated", "gating_mode", "groups_input",
                  "groups_input_mixin", "head", "head_size", "head_bias", "head1x1", "layer1x1",
                  "slimmable"});
  }

  std::string source_;
};

} // namespace

nam_file read_nam(const std::filesystem::path& path, double size) {
  return reader(path.string()).read(*load_json(path), size);
}

} // namespace play_amp_program
