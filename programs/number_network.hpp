#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/fovea.hpp>
#include <fovea/programs/value_name.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace fovea::programs {

/// A network that moves along a sequence of numbers, whatever model it is.
class number_network {
public:
  virtual ~number_network() = default;
  /// How many numbers a position has.
  virtual std::size_t input_width() const = 0;
  virtual std::size_t output_width() const = 0;
  /// A step takes a multiple of so many positions, and its outputs come so many later.
  virtual std::size_t stride() const = 0;
  virtual std::size_t latency() const = 0;

  virtual void begin() = 0;
  /// The next positions [n, input width] -> what comes out [.., output width], until the next call.
  virtual std::span<const float> step(std::span<const float> positions) = 0;
  /// The sequence has ended: the next of the `latency` positions that are still to come, `count` of them.
  virtual std::span<const float> finish(std::size_t count) = 0;
};
using number_network_maker = std::unique_ptr<number_network> (*)(const model_weights&,
                                                                 const compile_options&);

/// The model M as `streamed` makes a stream of it: one input [B, T, ...] of f32 to one output [B, T, ...].
template <class M, auto streamed>
class number_network_of final : public number_network {
public:
  static std::unique_ptr<number_network> make(const model_weights& weights, const compile_options& how) {
    return std::make_unique<number_network_of>(weights, how);
  }
  number_network_of(const model_weights& weights, const compile_options& how)
      : stream_(streamed(weights, how)) {}

  std::size_t input_width() const override { return width_of<input>; }
  std::size_t output_width() const override { return width_of<output>; }
  std::size_t stride() const override { return static_cast<std::size_t>(stream_type::stride); }
  std::size_t latency() const override { return static_cast<std::size_t>(stream_type::latency); }

  void begin() override { stream_.begin(); }
  std::span<const float> step(std::span<const float> positions) override {
    auto shape = sizes_of<input>;
    shape[1] = positions.size() / width_of<input>;
    return of(stream_.step(core::input_key<in_name>{} =
                               xt::adapt(positions.data(), positions.size(), xt::no_ownership(), shape)));
  }
  std::span<const float> finish(std::size_t count) override {
    if constexpr (stream_type::latency > 0)
      return of(stream_.finish(count));
    else
      return static_cast<void>(count), std::span<const float>();
  }

private:
  using stream_type = std::invoke_result_t<decltype(streamed), const model_weights&, const compile_options&>;

  using named = core::named_value;
  static constexpr named input = M::view.inputs[0], output = M::view.outputs[0];
  static constexpr auto in_name = name_of<input>, out_name = name_of<output>;

  /// [1, 1, ...] of a value [B, T, ...].
  template <const named& value>
  static constexpr auto sizes_of = [] {
    constexpr core::shape shape = M::view.at(value.node).shape;
    std::array<std::size_t, shape.rank> sizes{1, 1};
    for (int i = 2; i < shape.rank; ++i)
      sizes[static_cast<std::size_t>(i)] = static_cast<std::size_t>(M::view.number(shape[i]));
    return sizes;
  }();
  template <const named& value>
  static constexpr std::size_t width_of = [] {
    std::size_t width = 1;
    for (const std::size_t size : sizes_of<value>) width *= size;
    return width;
  }();

  template <class stepped>
  static std::span<const float> of(const stepped& out) {
    const auto& values = out[core::output_key<out_name>{}];
    return {values.data(), values.size()};
  }

  stream_type stream_;
};

} // namespace fovea::programs
