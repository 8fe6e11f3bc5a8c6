#pragma once

#include <fovea/dsl/passes/attention_maps.hpp>
#include <fovea/fovea.hpp>
#include <fovea/programs/text_network.hpp>
#include <fovea/programs/value_name.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace fovea::programs {

/// How strongly the tokens of a text look at each other in a model, whatever model it is.
class attention_network {
public:
  virtual ~attention_network() = default;
  /// Reads one text.
  virtual void read(const token_rows& text) = 0;
  /// What a head of a layer, both from 0, has seen in it, [tokens, tokens]: a row sums to 1. Until the next text.
  virtual std::span<const float> map(std::size_t layer, std::size_t head) const = 0;
};

/// What makes one of a model's weights, and how checkpoints name them.
struct attention_network_maker {
  std::vector<std::size_t> heads = {}; // of each layer; empty where there is no attention among tokens
  std::unique_ptr<attention_network> (*make)(const model_weights&, std::span<const name_rule>,
                                             const compile_options&) = nullptr;
};

namespace detail {

/// A layer's maps: so many heads of an output, behind those of the layers before it.
struct attention_layer {
  std::size_t output, index, heads;
};

/// The layers of a model of maps whose attentions are among the tokens of a text, [layers..., B, heads, T, T]. Those that
/// a repeat declares side by side take turns.
inline std::vector<attention_layer> attention_layers(const core::graph_view& maps) {
  std::vector<attention_layer> all;
  std::size_t first = 0; // of the repeat that the output before came from
  int repeat = 0;
  for (std::size_t i = 0; i < maps.outputs.size(); ++i) {
    const core::node& n = maps.at(maps.outputs[i].node);
    const core::shape& s = n.shape;
    if (s.rank < 4 || s[-1] != s[-2] || !(maps.dim_of(s[-1]) == dim("T"))) continue;
    std::size_t layers = 1;
    for (int axis = 0; axis < s.rank - 4; ++axis) layers *= static_cast<std::size_t>(maps.number(s[axis]));
    const int from = n.kind == core::op::scan_output ? n.settings.carried.region : 0;
    if (from == 0 || from != repeat) first = all.size();
    repeat = from;
    const std::size_t beside = (all.size() - first) / layers; // attentions of each layer so far
    for (std::size_t k = 0; k < layers; ++k)
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(first + k * (beside + 1) + beside),
                 {i, k, static_cast<std::size_t>(maps.number(s[-3]))});
  }
  return all;
}

} // namespace detail

/// The attentions of the model M among the tokens [B, T] of a text.
template <class M>
class attention_network_of final : public attention_network {
  using maps = decltype(attention_maps(std::declval<const M&>()));
  static constexpr std::size_t outputs = maps::view.outputs.size();

public:
  static attention_network_maker maker() { return {heads(), make}; }

  attention_network_of(const model_weights& weights, std::span<const name_rule> names,
                       const compile_options& how)
      : net_(compile(maps{"attention maps", names}, weights, how)) {}

  void read(const token_rows& text) override {
    tokens_ = text.longest;
    const auto found = call_of_texts<maps>(net_, text);
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((values_[i] = found[core::output_key<name_of<output<i>>>{}].data()), ...);
    }
    (std::make_index_sequence<outputs>{});
  }
  std::span<const float> map(std::size_t layer, std::size_t head) const override {
    const detail::attention_layer& at = layers_[layer];
    const std::size_t size = tokens_ * tokens_;
    return {values_[at.output] + (at.index * at.heads + head) * size, size};
  }

private:
  template <std::size_t i>
  static constexpr core::named_value output = maps::view.outputs[i];

  static std::unique_ptr<attention_network>
  make(const model_weights& weights, std::span<const name_rule> names, const compile_options& how) {
    return std::make_unique<attention_network_of>(weights, names, how);
  }
  static std::vector<std::size_t> heads() {
    std::vector<std::size_t> all;
    for (const detail::attention_layer& one : detail::attention_layers(maps::view)) all.push_back(one.heads);
    return all;
  }

  decltype(compile(std::declval<maps>(), std::declval<const model_weights&>())) net_;
  const std::vector<detail::attention_layer> layers_ = detail::attention_layers(maps::view);
  std::array<const float*, outputs> values_{};
  std::size_t tokens_ = 0;
};

/// Of a model without attention: a maker of none.
template <class M>
attention_network_maker attention_maker_of() {
  if constexpr (has_attention_maps(M{""}))
    return attention_network_of<M>::maker();
  else
    return {};
}

} // namespace fovea::programs
