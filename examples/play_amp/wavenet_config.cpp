#include "wavenet_config.hpp"

#include "network_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace play_amp_program {

namespace {

activation named(const nam_part& name) {
  if (name.value() == "LeakyHardTanh") return activation::leaky_hardtanh; // as some files have it
  std::vector<std::string> known;
  for (const activation one : activations) {
    if (name.value() == name_of(one)) return one;
    known.emplace_back(name_of(one));
  }
  name.fail(fmt::format("one of {}", fmt::join(known, ", ")));
}

/// Without PReLU's slopes.
nonlinearity function_of(const nam_part& said) {
  const bool has_numbers = said.value().is_object();
  const activation function = named(has_numbers ? said["type"] : said);
  if (has_numbers)
    said.expect_known(
        {"type", "negative_slope", "negative_slopes", "min_val", "max_val", "min_slope", "max_slope"});
  const auto number = [&](const char* key, float otherwise) {
    return has_numbers ? said.real_or(key, otherwise) : otherwise;
  };
  if (function == activation::leaky_relu) return {function, number("negative_slope", 0.01f)};
  if (function == activation::leaky_hardtanh)
    return {function, number("min_slope", 0.01f), number("min_val", -1), number("max_val", 1),
            number("max_slope", 0.01f)};
  return {function};
}

class array_reader {
public:
  /// Sets `groups`, and adds to `slopes`.
  array_reader(const nam_part& config, array_groups& groups, std::vector<float>& slopes)
      : config_(config), groups_(groups), slopes_(slopes) {}

  array_shape read() {
    array_.channels = config_["channels"].number();
    array_.bottleneck = config_.number_or("bottleneck", array_.channels);
    groups_.conv = config_.number_or("groups_input", 1);
    groups_.mix = config_.number_or("groups_input_mixin", 1);
    read_head();
    read_layers();
    read_products();
    read_films();
    config_.expect_known({"input_size",
                          "condition_size",
                          "channels",
                          "bottleneck",
                          "kernel_size",
                          "kernel_sizes",
                          "dilations",
                          "activation",
                          "secondary_activation",
                          "gated",
                          "gating_mode",
                          "groups_input",
                          "groups_input_mixin",
                          "head",
                          "head_size",
                          "head_bias",
                          "head1x1",
                          "layer1x1",
                          "slimmable",
                          "conv_pre_film",
                          "conv_post_film",
                          "input_mixin_pre_film",
                          "input_mixin_post_film",
                          "activation_pre_film",
                          "activation_post_film",
                          "layer1x1_post_film",
                          "head1x1_post_film"});
    return array_;
  }

private:
  void read_head() {
    if (!config_.has("head")) {
      array_.head = config_["head_size"].number(), array_.head_bias = config_["head_bias"].flag();
      return;
    }
    const nam_part head = config_["head"];
    array_.head = head["out_channels"].number(), array_.head_taps = head["kernel_size"].number();
    array_.head_dilation = head.number_or("head_dilation", 1), array_.head_bias = head["bias"].flag();
    head.expect_known({"out_channels", "kernel_size", "head_dilation", "bias"});
  }

  void read_layers() {
    const auto dilations = config_["dilations"].list(array_shape::most_layers, "layers");
    array_.count = dilations.size();
    const char* const taps_key = config_.has("kernel_sizes") ? "kernel_sizes" : "kernel_size";
    const auto taps = config_[taps_key].for_each(array_.count);
    const auto primary = config_["activation"].for_each(array_.count);
    for (std::size_t i = 0; i < array_.count; ++i) {
      layer_shape& layer = array_.layers[i];
      layer.dilation = dilations[i].number(), layer.taps = taps[i].number();
      layer.gating = gating(i);
      layer.primary = function(primary[i]);
      if (layer.gating != gate::none) layer.secondary = secondary(i);
    }
  }
  gate gating(std::size_t i) const {
    if (!config_.has("gating_mode")) return config_.flag_or("gated", false) ? gate::gated : gate::none;
    const nam_part mode = config_["gating_mode"].for_each(array_.count)[i];
    for (const gate one : {gate::none, gate::gated, gate::blended})
      if (mode.value() == name_of(one)) return one;
    mode.fail("none, gated or blended");
  }
  nonlinearity secondary(std::size_t i) {
    if (!config_.has("gating_mode") || !config_.has("secondary_activation")) return {activation::sigmoid};
    return function(config_["secondary_activation"].for_each(array_.count)[i]);
  }
  nonlinearity function(const nam_part& said) {
    const nonlinearity made = function_of(said);
    if (made.function == activation::prelu) read_slopes(said);
    return made;
  }
  void read_slopes(const nam_part& said) {
    const auto features = static_cast<std::size_t>(array_.bottleneck);
    if (!said.value().is_object() || said.has("negative_slope") || !said.has("negative_slopes")) {
      const float each = said.value().is_object() ? said.real_or("negative_slope", 0.01f) : 0.01f;
      slopes_.insert(slopes_.end(), features, each);
      return;
    }
    const auto each = said["negative_slopes"].reals();
    if (each.size() != features)
      said["negative_slopes"].fail(fmt::format("{} numbers, one for each feature", features));
    slopes_.insert(slopes_.end(), each.begin(), each.end());
  }

  void read_products() {
    if (config_.has("layer1x1")) {
      array_.has_layer1x1 = config_["layer1x1"]["active"].flag();
      groups_.layer1x1 = config_["layer1x1"].number_or("groups", 1);
    }
    if (config_.has("head1x1") && config_["head1x1"]["active"].flag()) {
      array_.head1x1 = config_["head1x1"]["out_channels"].number();
      groups_.head1x1 = config_["head1x1"].number_or("groups", 1);
    }
  }

  void read_films() {
    for (std::size_t i = 0; i < film_places; ++i) {
      const char* const name = name_of(static_cast<film_place>(i));
      if (!config_.has(name) || config_[name].value() == false) continue;
      const nam_part said = config_[name];
      if (!said.flag_or("active", true)) continue;
      if (i == layer1x1_post && !array_.has_layer1x1) said.fail("none without a layer1x1");
      if (i == head1x1_post && array_.head1x1 == 0) said.fail("none without a head1x1");
      array_.films[i] = said.flag_or("shift", true) ? film::scale_and_shift : film::scale;
      groups_.films[i] = said.number_or("groups", 1);
      said.expect_known({"active", "shift", "groups"});
    }
  }

  const nam_part& config_;
  array_groups& groups_;
  std::vector<float>& slopes_;
  array_shape array_;
};

post_shape post_of(const nam_part& head, int in) {
  const auto taps = head["kernel_sizes"].list(post_shape::most_layers, "convolutions");
  head.expect("in_channels", in);
  post_shape made{.count = taps.size(),
                  .function = function_of(head["activation"]),
                  .channels = head["channels"].number(),
                  .out = head["out_channels"].number()};
  if (made.function.function == activation::prelu) head["activation"].fail("none with slopes");
  for (std::size_t i = 0; i < made.count; ++i) made.taps[i] = taps[i].number();
  head.expect_known({"in_channels", "channels", "out_channels", "kernel_sizes", "activation"});
  return made;
}

/// How many channels an array may have. None: it is not made smaller.
std::vector<int> channels_of(const nam_part& config, int all) {
  if (!config.has("slimmable")) return {};
  const nam_part how = config["slimmable"];
  how.expect("method", "slice_channels_uniform");
  std::vector<int> made;
  if (how.has("kwargs") && how["kwargs"].has("allowed_channels")) {
    for (const nam_part& one : how["kwargs"]["allowed_channels"].list()) made.push_back(one.number());
    if (!std::ranges::is_sorted(made) || made.back() != all)
      how["kwargs"]["allowed_channels"].fail(fmt::format("numbers that rise to the {} channels", all));
  } else {
    for (int channels = 1; channels <= all; ++channels) made.push_back(channels);
  }
  return made;
}

} // namespace

wavenet_config read_wavenet(const nam_part& config, int condition) {
  const auto arrays = config["layers"].list(wavenet_shape::most_arrays, "arrays");
  config.expect("in_channels", 1);
  // What scales the output is the last of the weights.
  config.expect_known({"layers", "in_channels", "head", "head_scale", "condition_dsp"});
  wavenet_config made{};
  int in = 1;
  for (const nam_part& one : arrays) {
    array_shape& array = made.shape.arrays[made.shape.count++];
    array = array_reader(one, made.groups.emplace_back(), made.slopes).read();
    one.expect("input_size", in);
    one.expect("condition_size", condition);
    in = array.channels;
    made.may_have.push_back(channels_of(one, array.channels));
  }
  if (config.has("head")) made.shape.post = post_of(config["head"], made.shape.out());
  return made;
}

} // namespace play_amp_program
