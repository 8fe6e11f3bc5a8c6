#pragma once

#include "amp_network.hpp"
#include "lstm.hpp"
#include "wavenet.hpp"
#include "weights.hpp"

#include <fovea/fovea.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace play_amp_program {

// Only what compiles a network includes this: it takes the compiler long.

inline constexpr std::size_t most_samples = 64; // of a step

/// A stream of a model x [1, T, 1] -> y [1, T, 1].
template <class stream>
class player final : public amp_network {
public:
  /// It hears `silence` samples, in whole steps, before the first that it plays.
  player(stream live, std::size_t silence) : live_(std::move(live)), silence_(silence) { begin(); }
  void play(std::span<float> samples) override {
    using namespace fovea::literals;
    while (!samples.empty()) {
      const auto some = samples.first(std::min(most_samples, samples.size()));
      const std::array shape{std::size_t{1}, some.size(), std::size_t{1}};
      const auto y =
          live_.step("x"_in = xt::adapt(some.data(), some.size(), xt::no_ownership(), shape))["y"_out];
      for (std::size_t i = 0; i < some.size(); ++i) some[i] = y(0, i, 0);
      samples = samples.subspan(some.size());
    }
  }
  std::unique_ptr<amp_network> fresh() const override {
    auto other = std::make_unique<player>(*this);
    other->begin();
    return other;
  }

private:
  void begin() {
    live_.begin();
    for (std::size_t heard = 0; heard < silence_; heard += most_samples) {
      std::array<float, most_samples> zeros{};
      play(zeros);
    }
  }

  stream live_;
  std::size_t silence_;
};

// As many samples of silence as the library that defines the format plays before the first.

template <class wavenet_or_conditioned>
std::size_t silence_before(const nam_file&, const wavenet_or_conditioned& shape) {
  return static_cast<std::size_t>(shape.sees());
}
inline std::size_t silence_before(const nam_file& file, const lstm_shape&) {
  return static_cast<std::size_t>(file.sample_rate ? *file.sample_rate / 2 : 1);
}

/// A small stream takes a sample alone by a function of its own, which rounds otherwise than a block does. Only
/// an LSTM takes its blocks by it, too. Others go without, so that any blocks give the same bits.
template <class shape>
inline constexpr fovea::regime regime_of =
    std::is_same_v<shape, lstm_shape> ? fovea::regime::automatic : fovea::regime::large;

/// The network of a file, by make(weights, options), which makes the stream of a model of its shape.
template <const auto& shape, class Make>
std::unique_ptr<amp_network> played(const nam_file& file, const Make& make) {
  auto live = make(weights_of(file, shape),
                   fovea::compile_options{.capacity = {{"T", most_samples}},
                                          .regime = regime_of<std::remove_cvref_t<decltype(shape)>>,
                                          .threads = 1});
  return std::make_unique<player<decltype(live)>>(std::move(live), silence_before(file, shape));
}

template <const auto& shape>
std::unique_ptr<amp_network> compiled(const nam_file& file) {
  return played<shape>(file, [](const auto& weights, const auto& options) {
    if constexpr (std::is_same_v<decltype(shape), const lstm_shape&>)
      return fovea::stream<fovea::dim{"T"}>(recurrent<shape>, weights, options);
    else
      return fovea::stream<fovea::dim{"T"}>(wavenet<shape>, weights, options);
  });
}

} // namespace play_amp_program
