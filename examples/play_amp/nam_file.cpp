#include "nam_file.hpp"

#include "cut_channels.hpp"
#include "nam_part.hpp"
#include "wavenet_config.hpp"
#include "wavenet_tensors.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <fmt/format.h>

namespace play_amp_program {

namespace {

/// The one of a container's networks that a size chooses.
nam_part chosen(const nam_part& container, double size) {
  const auto all = container["config"]["submodels"].list();
  for (const nam_part& one : all) {
    const nam_part end = one["max_value"];
    if (!end.value().is_number()) end.fail("a number");
    if (size < end.value().get<double>()) return one["model"];
  }
  return all.back()["model"];
}

std::optional<double> rate(const nam_part& network) {
  if (!network.has("sample_rate")) return std::nullopt;
  constexpr double least = 1000, highest = 1e6;
  const nam_part said = network["sample_rate"];
  if (!said.value().is_number() || said.value() < least || said.value() > highest)
    said.fail(fmt::format("{} to {} Hz", least, highest));
  return said.value().get<double>();
}

lstm_shape lstm(const nam_part& config) {
  const lstm_shape made{.layers = config["num_layers"].number(), .hidden = config["hidden_size"].number()};
  config.expect("input_size", 1);
  config.expect_known({"input_size", "hidden_size", "num_layers"});
  return made;
}

/// The WaveNet in `network`, of the part of its channels that `size` says.
nam_file wavenet(const nam_part& network, double size, int condition) {
  const nam_part weights = network["weights"];
  const wavenet_config config = read_wavenet(network["config"], condition);
  nam_file made{network.source(), config.shape, weights.reals(), config.groups, config.slopes, rate(network)};
  if (const wavenet_shape smaller = cut_shape(config, network.source(), size); smaller != config.shape) {
    if (const std::size_t expected = numbers_of(config.shape, condition); made.weights.size() != expected)
      weights.fail_size(fmt::format("{} numbers", expected));
    made.weights = cut_weights(made.weights, config.shape, smaller, condition);
    made.shape = smaller;
  }
  return made;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// The WaveNet in `network`, and what gives its condition.
nam_file conditioned(const nam_part& network, const nam_part& condition, double size) {
  if (const nam_part architecture = condition["architecture"]; architecture.value() != "WaveNet")
    architecture.fail("WaveNet");
  condition["config"].expect("condition_dsp", nullptr);
  nam_file made = wavenet(condition, 1, 1);
  const auto first = std::get<wavenet_shape>(made.shape);
  if (const std::size_t expected = numbers_of(first, 1, made.groups); made.weights.size() != expected)
    condition["weights"].fail_size(fmt::format("{} numbers", expected));
  const nam_file main = wavenet(network, size, first.out());
  made.shape = conditioned_shape{first, std::get<wavenet_shape>(main.shape)};
  append(made.weights, main.weights);
  append(made.groups, main.groups);
  append(made.slopes, main.slopes);
  made.sample_rate = main.sample_rate;
  return made;
}

nam_file read(const nam_part& network, double size) {
  const nam_part architecture = network["architecture"];
  if (architecture.value() == "SlimmableContainer") return read(chosen(network, size), 1);
  const nam_part config = network["config"];
  if (architecture.value() == "LSTM")
    return {network.source(), lstm(config), network["weights"].reals(), {}, {}, rate(network)};
  if (architecture.value() != "WaveNet") architecture.fail("WaveNet, LSTM or SlimmableContainer");
  return config.has("condition_dsp") ? conditioned(network, config["condition_dsp"], size)
                                     : wavenet(network, size, 1);
}

} // namespace

nam_file read_nam(const std::filesystem::path& path, double size) {
  if (!(size >= 0 && size <= 1))
    throw fovea::error(fmt::format("size: expected a number from 0 to 1, found {}", size));
  return read({path.string(), *fovea::core::load_json(path)}, size);
}

} // namespace play_amp_program
