#include "cut_channels.hpp"

#include "wavenet_tensors.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace play_amp_program {

namespace {

/// Whether the format says how an array is cut.
bool is_cuttable(const array_shape& array) {
  const auto has_prelu = [](const layer_shape& layer) {
    return layer.primary.function == activation::prelu || layer.secondary.function == activation::prelu;
  };
  return array.head_taps == 1 && std::ranges::none_of(std::span(array.layers).first(array.count), has_prelu);
}
bool is_cuttable(const wavenet_config& config) {
  const auto& shape = config.shape;
  return shape.post.count == 0 &&
         std::ranges::count(config.groups, array_groups()) == std::ssize(config.groups) &&
         std::ranges::all_of(std::span(shape.arrays).first(shape.count),
                             [](const array_shape& array) { return is_cuttable(array); });
}

/// The first `to` of each axis of a tensor of sizes `from`, added to `kept`.
void keep_first(std::span<const float> values, std::span<const std::size_t> from,
                std::span<const std::size_t> to, std::vector<float>& kept) {
  if (from.empty()) {
    kept.push_back(values.front());
    return;
  }
  const std::size_t stride = values.size() / from.front();
  for (std::size_t i = 0; i < to.front(); ++i)
    keep_first(values.subspan(i * stride, stride), from.subspan(1), to.subspan(1), kept);
}

} // namespace

wavenet_shape cut_shape(const wavenet_config& config, const std::string& source, double size) {
  const double share = size > 0 ? std::min(size, 1.0) : 0;
  wavenet_shape made = config.shape;
  for (std::size_t i = 0; i < made.count; ++i) {
    array_shape& array = made.arrays[i];
    const std::vector<int>& all = config.may_have[i];
    if (all.empty()) continue;
    const auto place = static_cast<std::size_t>(share * static_cast<double>(all.size()));
    const int channels = all[std::min(place, all.size() - 1)];
    array.bottleneck =
        !array.has_layer1x1 ? channels : std::max(1, array.bottleneck * channels / array.channels);
    array.channels = channels;
    if (i > 0) made.arrays[i - 1].head = channels;
  }
  if (made != config.shape && !is_cuttable(config))
    throw fovea::error(
        fmt::format("{}: expected a size of 1, as networks with groups, PReLU or a head of several "
                    "taps have; found {}",
                    source, size));
  return made;
}

std::vector<float> cut_weights(const std::vector<float>& weights, const wavenet_shape& from,
                               const wavenet_shape& to, int condition) {
  const auto whole = tensors_of(from, condition), cut = tensors_of(to, condition);
  std::span<const float> left(weights);
  std::vector<float> made;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    keep_first(left.first(whole[i].count()), whole[i].sizes, cut[i].sizes, made);
    left = left.subspan(whole[i].count());
  }
  return made;
}

} // namespace play_amp_program
