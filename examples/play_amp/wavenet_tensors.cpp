#include "wavenet_tensors.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <utility>

namespace play_amp_program {

namespace {

class tensor_list {
public:
  void add(const std::string& name, std::vector<int> sizes, int groups = 1) {
    all_.push_back({name, {sizes.begin(), sizes.end()}, static_cast<std::size_t>(groups)});
  }
  void add_linear(const std::string& name, int in, int out, int groups) {
    add(name + ".weight", {out, in}, groups);
    add(name + ".bias", {out});
  }
  void add_layer(const std::string& layer, const array_shape& array, const layer_shape& c, int condition,
                 const array_groups& groups) {
    const int a = array.bottleneck, rows = c.gating == gate::none ? a : 2 * a;
    add(layer + "conv.weight", {rows, array.channels, c.taps}, groups.conv);
    add(layer + "conv.bias", {rows});
    add(layer + "mix.weight", {rows, condition}, groups.mix);
    if (array.has_layer1x1) add_linear(layer + "layer1x1", a, array.channels, groups.layer1x1);
    if (array.head1x1 != 0) add_linear(layer + "head1x1", a, array.head1x1, groups.head1x1);
    const auto add_film = [&](film_place at, const char* name, int features) {
      if (array.films[at] == film::none) return;
      const int out = array.films[at] == film::scale ? features : 2 * features;
      add_linear(layer + name, condition, out, groups.films[at]);
    };
    add_film(conv_pre, "conv_pre", array.channels);
    add_film(conv_post, "conv_post", rows);
    add_film(mix_pre, "mix_pre", condition);
    add_film(mix_post, "mix_post", rows);
    add_film(activation_pre, "activation_pre", rows);
    add_film(activation_post, "activation_post", a);
    add_film(layer1x1_post, "layer1x1_post", array.channels);
    add_film(head1x1_post, "head1x1_post", array.head1x1);
  }
  std::vector<named_tensor> take() { return std::move(all_); }

private:
  std::vector<named_tensor> all_;
};

} // namespace

std::size_t named_tensor::count() const {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies()) / groups;
}

std::vector<named_tensor> tensors_of(const wavenet_shape& shape, int condition,
                                     std::span<const array_groups> groups) {
  tensor_list made;
  int in = 1;
  for (std::size_t i = 0; i < shape.count; ++i) {
    const array_shape& array = shape.arrays[i];
    const std::string name = fmt::format("arrays.{}.", i);
    made.add(name + "rechannel.weight", {array.channels, in});
    for (std::size_t j = 0; j < array.count; ++j)
      made.add_layer(fmt::format("{}layers.{}.", name, j), array, array.layers[j], condition,
                     groups.empty() ? array_groups() : groups[i]);
    made.add(name + "head.weight", {array.head, array.head_in(), array.head_taps});
    if (array.head_bias) made.add(name + "head.bias", {array.head});
    in = array.channels;
  }
  in = shape.arrays[shape.count - 1].head;
  for (std::size_t i = 0; i < shape.post.count; ++i) {
    made.add(fmt::format("post.{}.conv.weight", i), {shape.post.out_of(i), in, shape.post.taps[i]});
    made.add(fmt::format("post.{}.conv.bias", i), {shape.post.out_of(i)});
    in = shape.post.out_of(i);
  }
  made.add("head_scale", {1});
  return made.take();
}

std::size_t numbers_of(const wavenet_shape& shape, int condition, std::span<const array_groups> groups) {
  std::size_t count = 0;
  for (const named_tensor& one : tensors_of(shape, condition, groups)) count += one.count();
  return count;
}

std::vector<named_tensor> slopes_of(const wavenet_shape& shape) {
  tensor_list made;
  for (std::size_t i = 0; i < shape.count; ++i)
    for (std::size_t j = 0; j < shape.arrays[i].count; ++j) {
      const layer_shape& layer = shape.arrays[i].layers[j];
      const auto add = [&](const char* which, const nonlinearity& f) {
        if (f.function == activation::prelu)
          made.add(fmt::format("arrays.{}.layers.{}.{}.slopes", i, j, which), {shape.arrays[i].bottleneck});
      };
      add("primary", layer.primary);
      if (layer.gating != gate::none) add("secondary", layer.secondary);
    }
  return made.take();
}

} // namespace play_amp_program
