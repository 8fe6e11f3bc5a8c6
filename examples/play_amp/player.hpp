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

/// A model x [1, T, 1] -> y [1, T, 1] that streams.
template <class model>
class player final : public amp_network {
  static constexpr fovea::dim T{"T"};
  static constexpr std::size_t most = 64; // samples of a step

public:
  /// It hears `silence` samples, in whole steps, before the first that it plays.
  player(const model& of, const fovea::model_weights& from, std::size_t silence)
      : live_(fovea::stream<T>(of, from, {.capacity = {{"T", most}}, .threads = 1})), silence_(silence) {
    begin();
  }
  void play(std::span<float> samples) override {
    using namespace fovea::literals;
    while (!samples.empty()) {
      const auto some = samples.first(std::min(most, samples.size()));
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
    for (std::size_t heard = 0; heard < silence_; heard += most) {
      std::array<float, most> zeros{};
      play(zeros);
    }
  }

  decltype(fovea::stream<T>(std::declval<const model&>(), std::declval<const fovea::model_weights&>())) live_;
  std::size_t silence_;
};

template <const auto& shape>
std::unique_ptr<amp_network> compiled(const nam_file& file) {
  const auto made = [](const auto& model, const fovea::model_weights& from, double silence) {
    return std::make_unique<player<std::remove_cvref_t<decltype(model)>>>(model, from,
                                                                          static_cast<std::size_t>(silence));
  };
  // As many samples of silence as the library that defines the format plays before the first.
  if constexpr (std::is_same_v<decltype(shape), const wavenet_shape&>)
    return made(wavenet<shape>, weights_in_order(file, wavenet<shape>.view), shape.sees());
  else
    return made(recurrent<shape>, lstm_weights(file, shape), file.sample_rate ? *file.sample_rate / 2 : 1);
}

} // namespace play_amp_program
