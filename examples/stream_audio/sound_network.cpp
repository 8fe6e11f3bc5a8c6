#include "sound_network.hpp"

#include "networks.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/fovea.hpp>

#include <fmt/format.h>

#include <array>
#include <tuple>

namespace stream_audio_program {

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;

namespace {

constexpr dim T{"T"};

constexpr std::array<const char*, 7> kinds{"dense",     "conv1d", "gru",       "lstm",
                                           "batchnorm", "prelu",  "activation"};
constexpr std::array<const char*, 6> activations{"", "tanh", "relu", "sigmoid", "softmax", "elu"};

constexpr std::size_t most_shown = 1000; // bytes of a file's layers

std::string text_of(const layer_config& c) {
  std::string text = kinds[static_cast<std::size_t>(c.kind)];
  if (c.out > 0) text += fmt::format(" {}", c.out);
  if (c.kind == layer_kind::conv1d)
    text += fmt::format(" of {} taps {} apart in {} groups", c.taps, c.dilation, c.groups);
  if (c.kind == layer_kind::batchnorm) text += fmt::format(" epsilon {}", c.epsilon);
  if (c.kind == layer_kind::dense && !c.bias) text += " without bias";
  if (c.activation != layer_activation::none)
    text += std::string(" ") + activations[static_cast<std::size_t>(c.activation)];
  return text;
}

template <std::size_t n>
std::string text_of(const sequential_config<n>& c) {
  std::string text = fmt::format("in {}", c.in);
  for (const layer_config& layer : c.layers) text += ", " + text_of(layer);
  return text;
}

/// What a file says of its layers.
class stated_layers {
public:
  explicit stated_layers(const model_weights& from) : from_(from) {}

  std::string text() const {
    std::string all;
    int in = 0;
    for (int i = 0; from_.metadata().contains(name(i, "type")); ++i) {
      const layer_config c = layer(i, in);
      all += ", " + text_of(c);
    }
    if (all.empty())
      throw error(from_.source() +
                  ": expected a network that RTNeural exported from Keras, which says its layers");
    return fmt::format("in {}", in) + all;
  }

private:
  static std::string name(int i, const char* what) { return fmt::format("layers.{}.{}", i, what); }
  std::string said(int i, const char* what) const {
    const auto found = from_.metadata().find(name(i, what));
    return found == from_.metadata().end() ? "" : found->second;
  }
  /// A number, or a list of one.
  double number(int i, const char* what, double otherwise) const {
    try {
      const json_document value = parse_json(said(i, what));
      if (value->is_number()) return *value;
      if (value->is_array() && value->size() == 1 && value->at(0).is_number()) return value->at(0);
    } catch (const malformed_json&) { // nothing is said, or a word
    }
    return otherwise;
  }
  int size(int i, const char* tensor, std::size_t axis) const {
    const auto found = from_.tensors().find(name(i, tensor));
    if (found == from_.tensors().end() || axis >= found->second.shape.size()) return 0;
    return static_cast<int>(found->second.shape[axis]);
  }
  /// Layer i; `in` becomes what the first layer with weights reads.
  layer_config layer(int i, int& in) const {
    std::string type = said(i, "type");
    if (type == "time-distributed-dense") type = "dense";
    const auto kind = std::find(kinds.begin(), kinds.end(), type);
    const auto activation = std::find(activations.begin(), activations.end(), said(i, "activation"));
    if (kind == kinds.end() || activation == activations.end())
      throw error(fmt::format("{}: layer {} is {} {}, which this program does not know", from_.source(), i,
                              shortened(type), shortened(said(i, "activation"))));
    layer_config c{.kind = static_cast<layer_kind>(kind - kinds.begin()),
                   .activation = static_cast<layer_activation>(activation - activations.begin())};
    int read = size(i, "weight", 1);
    switch (c.kind) {
      case layer_kind::dense:
        c.out = size(i, "weight", 0), c.bias = size(i, "bias", 0) > 0;
        break;
      case layer_kind::conv1d:
        c.out = size(i, "weight", 0), c.taps = size(i, "weight", 2);
        c.dilation = static_cast<int>(number(i, "dilation", 1)),
        c.groups = static_cast<int>(number(i, "groups", 1));
        read *= c.groups;
        break;
      case layer_kind::gru:
      case layer_kind::lstm:
        c.out = size(i, "weight_hh_l0", 1), c.activation = layer_activation::none;
        read = size(i, "weight_ih_l0", 1);
        break;
      case layer_kind::batchnorm:
        c.epsilon = number(i, "epsilon", 0);
        read = size(i, "running_mean", 0);
        break;
      case layer_kind::prelu:
        c.out = size(i, "weight", 0);
        break;
      case layer_kind::activation:
        break;
    }
    if (in == 0) in = read;
    return c;
  }

  const model_weights& from_;
};

/// x -> network(x), or x + network(x).
template <const auto& c, bool skip>
constexpr auto sound_model = model(
    "sound",
    [](graph& g) {
      const expr x = g.input<f32>("x", {1, "T", c.in});
      const expr y = sequential_output(x, c);
      g.output("y", skip ? x + y : y);
    },
    sequential_names);

template <const auto& c, bool skip>
class compiled final : public sound_network {
public:
  explicit compiled(const model_weights& from)
      : live_(stream<T>(sound_model<c, skip>, from, {.capacity = {{"T", 1}}, .regime = regime::small})) {
    live_.begin();
  }
  float step(float sample) override {
    x_(0, 0, 0) = sample;
    return live_.step("x"_in = x_)["y"_out](0, 0, 0);
  }
  std::unique_ptr<sound_network> fresh() const override {
    auto other = std::make_unique<compiled>(*this);
    other->live_.begin();
    return other;
  }

private:
  decltype(stream<T>(sound_model<c, skip>, std::declval<const model_weights&>(), {})) live_;
  xt::xtensor_fixed<float, xt::xshape<1, 1, 1>> x_{};
};

/// Calls f with each network that the program is compiled for.
template <class F>
void every_network(F f) {
  const auto one = [&]<const auto & c>() { f.template operator()<c>(); };
  one.template operator()<gru_8>();
  one.template operator()<lstm_8>();
  one.template operator()<dense_8>();
  one.template operator()<convolutions>();
  one.template operator()<lstm_16>();
}

} // namespace

std::string layers_of(const model_weights& from) { return stated_layers(from).text(); }

std::vector<std::string> known_layers() {
  std::vector<std::string> all;
  every_network([&]<const auto & c>() { all.push_back(text_of(c)); });
  return all;
}

std::unique_ptr<sound_network> network_of(const model_weights& from, bool skip) {
  const std::string layers = layers_of(from);
  std::unique_ptr<sound_network> made;
  every_network([&]<const auto & c>() {
    if (made || text_of(c) != layers) return;
    if (skip)
      made = std::make_unique<compiled<c, true>>(from);
    else
      made = std::make_unique<compiled<c, false>>(from);
  });
  if (!made)
    throw error(from.source() + ": the program is compiled for no network of the layers \"" +
                shortened(layers, most_shown) +
                "\"; add it to examples/stream_audio/networks.hpp, or see --networks");
  return made;
}

} // namespace stream_audio_program
