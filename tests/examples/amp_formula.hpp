#pragma once

#include <play_amp/amp_network.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

/// The formulas of Neural Amp Modeler's format in double. The numbers of a file are taken one after another.
class amp_formula {
  using rows = std::vector<std::vector<double>>; // [channels][time]

public:
  explicit amp_formula(const play_amp_program::nam_file& file) : file_(file) {}

  std::vector<double> played(const std::vector<double>& samples) {
    return std::visit([&](const auto& shape) { return played(shape, samples); }, file_.shape);
  }
  /// How many were taken.
  std::size_t weights() const { return weight_; }
  std::size_t slopes() const { return slope_; }

private:
  double next() { return static_cast<double>(file_.weights.at(weight_++)); }
  std::vector<double> next(std::size_t count) {
    std::vector<double> made(count);
    for (double& value : made) value = next();
    return made;
  }

  struct convolution {
    std::size_t in, out, groups, taps, dilation;
    std::vector<double> weights, bias;

    rows operator()(const rows& x) const {
      REQUIRE(x.size() == in);
      const std::size_t ins = in / groups, outs = out / groups;
      rows y(out, std::vector<double>(x[0].size()));
      for (std::size_t o = 0; o < out; ++o)
        for (std::size_t t = 0; t < y[o].size(); ++t) {
          y[o][t] = bias.empty() ? 0 : bias[o];
          for (std::size_t i = 0; i < ins; ++i)
            for (std::size_t k = 0; k < taps; ++k)
              if (const std::size_t back = dilation * (taps - 1 - k); back <= t)
                y[o][t] += weights[(o * ins + i) * taps + k] * x[o / outs * ins + i][t - back];
        }
      return y;
    }
  };
  convolution next_convolution(int in, int out, int groups, bool bias = true, int taps = 1,
                               int dilation = 1) {
    const auto size = [](int value) { return static_cast<std::size_t>(value); };
    convolution made{size(in), size(out), size(groups), size(taps), size(dilation), {}, {}};
    made.weights = next(size(out) * size(in / groups) * size(taps));
    if (bias) made.bias = next(size(out));
    return made;
  }

  template <class F>
  static rows each(rows a, const rows& b, F f) {
    REQUIRE(a.size() == b.size());
    for (std::size_t c = 0; c < a.size(); ++c)
      for (std::size_t t = 0; t < a[c].size(); ++t) a[c][t] = f(a[c][t], b[c][t]);
    return a;
  }
  static rows sum(const rows& a, const rows& b) { return each(a, b, std::plus()); }

  struct film {
    std::optional<convolution> of_condition;
    bool shift;

    rows operator()(const rows& x, const rows& condition) const {
      if (!of_condition) return x;
      const rows s = (*of_condition)(condition);
      const auto middle = s.begin() + static_cast<std::ptrdiff_t>(x.size());
      const rows scaled = each(x, {s.begin(), middle}, std::multiplies());
      return shift ? sum(scaled, {middle, s.end()}) : scaled;
    }
  };
  film next_film(int condition, int features, play_amp_program::film how, int groups) {
    if (how == play_amp_program::film::none) return {std::nullopt, false};
    const bool shift = how == play_amp_program::film::scale_and_shift;
    return {next_convolution(condition, (shift ? 2 : 1) * features, groups), shift};
  }

  rows activated(const play_amp_program::nonlinearity& f, rows z) {
    for (auto& row : z) {
      const double slope = f.function == play_amp_program::activation::prelu
                               ? static_cast<double>(file_.slopes.at(slope_++))
                               : static_cast<double>(f.slope);
      for (double& value : row) value = activated(f, slope, value);
    }
    return z;
  }
  static double activated(const play_amp_program::nonlinearity& f, double slope, double z) {
    using play_amp_program::activation;
    const auto least = static_cast<double>(f.least), most = static_cast<double>(f.most);
    switch (f.function) {
      case activation::tanh:
        return std::tanh(z);
      case activation::fast_tanh: {
        const double a = std::abs(z);
        return z *
               (2.45550750702956 + 2.45550750702956 * a +
                (0.893229853513558 + 0.821226666969744 * a) * z * z) /
               (2.44506634652299 + (2.44506634652299 + z * z) * std::abs(z + 0.814642734961073 * z * a));
      }
      case activation::relu:
        return std::max(z, 0.0);
      case activation::sigmoid:
        return sigmoid(z);
      case activation::silu:
        return z * sigmoid(z);
      case activation::softsign:
        return z / (1 + std::abs(z));
      case activation::hardtanh:
        return std::clamp(z, -1.0, 1.0);
      case activation::hardswish:
        return z * std::clamp(z + 3, 0.0, 6.0) / 6;
      case activation::leaky_relu:
      case activation::prelu:
        return z > 0 ? z : slope * z;
      case activation::leaky_hardtanh:
        return z < least  ? (z - least) * slope + least
               : z > most ? (z - most) * static_cast<double>(f.slope_above) + most
                          : z;
    }
    return z;
  }
  static double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

  rows gated(const play_amp_program::layer_shape& layer, const rows& z) {
    using play_amp_program::gate;
    if (layer.gating == gate::none) return activated(layer.primary, z);
    const auto middle = z.begin() + static_cast<std::ptrdiff_t>(z.size() / 2);
    const rows p(z.begin(), middle), f = activated(layer.primary, p);
    const rows g = activated(layer.secondary, {middle, z.end()});
    const rows product = each(f, g, std::multiplies());
    if (layer.gating == gate::gated) return product;
    return sum(product, each(p, g, [](double before, double share) { return (1 - share) * before; }));
  }

  struct layer_result {
    rows x, head;
  };
  layer_result layer(const play_amp_program::array_shape& array, const play_amp_program::layer_shape& c,
                     const play_amp_program::array_groups& groups, const rows& x, const rows& condition) {
    using namespace play_amp_program;
    const int a = array.bottleneck, z = c.gating == gate::none ? a : 2 * a;
    const int seen = static_cast<int>(condition.size());
    const auto conv = next_convolution(array.channels, z, groups.conv, true, c.taps, c.dilation);
    const auto mix = next_convolution(seen, z, groups.mix, false);
    std::optional<convolution> layer1x1, head1x1;
    if (array.has_layer1x1) layer1x1 = next_convolution(a, array.channels, groups.layer1x1);
    if (array.head1x1 != 0) head1x1 = next_convolution(a, array.head1x1, groups.head1x1);
    std::vector<amp_formula::film> films;
    for (const auto& [place, features] : {std::pair(conv_pre, array.channels),
                                          {conv_post, z},
                                          {mix_pre, seen},
                                          {mix_post, z},
                                          {activation_pre, z},
                                          {activation_post, a},
                                          {layer1x1_post, array.channels},
                                          {head1x1_post, array.head1x1}})
      films.push_back(next_film(seen, features, array.films[place], groups.films[place]));
    const auto modulated = [&](film_place at, const rows& of) { return films[at](of, condition); };

    const rows mixed = modulated(mix_post, mix(modulated(mix_pre, condition)));
    const rows both = sum(modulated(conv_post, conv(modulated(conv_pre, x))), mixed);
    const rows active = modulated(activation_post, gated(c, modulated(activation_pre, both)));
    layer_result made{x, head1x1 ? modulated(head1x1_post, (*head1x1)(active)) : active};
    if (layer1x1) {
      const rows added = (*layer1x1)(active);
      made.x = sum(x, c.gating == gate::blended ? modulated(layer1x1_post, added) : added);
    }
    return made;
  }

  rows wavenet(const play_amp_program::wavenet_shape& shape, const rows& signal, const rows& condition) {
    rows x = signal, head;
    for (const auto& array : std::span(shape.arrays).first(shape.count)) {
      const auto groups = file_.groups.empty() ? play_amp_program::array_groups() : file_.groups.at(array_++);
      x = next_convolution(static_cast<int>(x.size()), array.channels, 1, false)(x);
      for (const auto& one : std::span(array.layers).first(array.count)) {
        const layer_result made = layer(array, one, groups, x, condition);
        x = made.x;
        head = head.empty() ? made.head : sum(head, made.head);
      }
      head = next_convolution(static_cast<int>(head.size()), array.head, 1, array.head_bias, array.head_taps,
                              array.head_dilation)(head);
    }
    std::vector<convolution> post;
    for (std::size_t i = 0; i < shape.post.count; ++i)
      post.push_back(next_convolution(i == 0 ? static_cast<int>(head.size()) : shape.post.channels,
                                      i + 1 == shape.post.count ? shape.post.out : shape.post.channels, 1,
                                      true, shape.post.taps[i]));
    const double scale = next();
    rows y = each(head, head, [&](double value, double) { return scale * value; });
    for (const convolution& one : post) y = one(activated(shape.post.function, y));
    return y;
  }
  std::vector<double> played(const play_amp_program::wavenet_shape& shape,
                             const std::vector<double>& samples) {
    return wavenet(shape, {samples}, {samples})[0];
  }
  std::vector<double> played(const play_amp_program::conditioned_shape& c,
                             const std::vector<double>& samples) {
    const rows condition = wavenet(c.condition, {samples}, {samples});
    return wavenet(c.network, {samples}, condition)[0];
  }

  std::vector<double> played(const play_amp_program::lstm_shape& shape, const std::vector<double>& samples) {
    const auto hidden = static_cast<std::size_t>(shape.hidden);
    rows steps; // [time][features]
    for (const double sample : samples) steps.push_back({sample});
    for (int layer = 0; layer < shape.layers; ++layer) {
      const std::size_t width = steps[0].size() + hidden;
      const auto matrix = next(4 * hidden * width), bias = next(4 * hidden);
      auto h = next(hidden), c = next(hidden);
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
    const auto head = next(hidden + 1);
    std::vector<double> y;
    for (const auto& step : steps)
      y.push_back(std::inner_product(step.begin(), step.end(), head.begin(), head[hidden]));
    return y;
  }

  const play_amp_program::nam_file& file_;
  std::size_t weight_ = 0, slope_ = 0, array_ = 0;
};

/// Plays a file of a shape, with numbers made here, by the network that make(file) gives. Holds it against the
/// formula, and against itself anew: blocks of awkward lengths must give the same bits.
template <class Make>
void check_amp(const play_amp_program::network_shape& shape, const Make& make,
               const std::vector<play_amp_program::array_groups>& groups = {}) {
  using namespace play_amp_program;
  constexpr std::size_t samples = 300, block = 64;
  INFO(text_of(shape));
  nam_file file{"made.nam", shape, {}, groups, {}, {}};
  for (std::size_t i = 0; i < 20000; ++i)
    file.weights.push_back(0.15f * std::sin(1.7f * static_cast<float>(i) + 0.5f));
  for (std::size_t i = 0; i < 100; ++i) file.slopes.push_back(0.3f * std::sin(2.3f * static_cast<float>(i)));
  // What a network hears first: whole blocks of silence; of an LSTM, one for a file without a rate.
  const auto silence = std::visit(
      [](const auto& of) {
        if constexpr (requires { of.sees(); })
          return static_cast<std::size_t>(of.sees());
        else
          return std::size_t{1};
      },
      shape);
  std::vector<double> heard((silence + block - 1) / block * block);
  for (std::size_t i = 0; i < samples; ++i) heard.push_back(0.7 * std::sin(0.31 * static_cast<double>(i)));
  amp_formula formula(file);
  auto expected = formula.played(heard);
  expected.erase(expected.begin(), expected.end() - samples);
  const double peak =
      std::abs(*std::ranges::max_element(expected, {}, [](double value) { return std::abs(value); }));
  file.weights.resize(formula.weights()), file.slopes.resize(formula.slopes());

  const auto played = [&](amp_network& network, std::initializer_list<std::size_t> lengths) {
    std::vector<float> made(heard.end() - samples, heard.end());
    std::size_t from = 0;
    for (const std::size_t length : lengths) {
      network.play(std::span(made).subspan(from, length));
      from += length;
    }
    REQUIRE(from == samples);
    return made;
  };
  const auto network = make(file);
  const auto at_once = played(*network, {samples});
  double worst = 0;
  for (std::size_t i = 0; i < samples; ++i)
    worst = std::max(worst, std::abs(static_cast<double>(at_once[i]) - expected[i]));
  CHECK(worst < 1e-5 * peak);
  CHECK(played(*network->fresh(), {1, 1, 7, 56, 64, 65, 0, 106}) == at_once);
}
