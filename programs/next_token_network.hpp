#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/fovea.hpp>
#include <fovea/programs/output_width.hpp>
#include <fovea/programs/step_of_tokens.hpp>
#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/decoding/saved_reader.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace fovea::programs {

/// A model of the next token (runtime/decoding/next_token.hpp), whatever model it is.
class next_token_network {
public:
  virtual ~next_token_network() = default;
  /// What the texts from the next begin on translate; for an encoder-decoder.
  virtual void read(token_ids source) = 0;
  virtual void begin(std::size_t rows) = 0;
  virtual token_scores step(std::span<const token_id> ids) = 0;
  virtual void reorder(std::span<const std::size_t> from) = 0;
  /// Whether it can take back what it has read, and scores all that a step reads: it then checks what is proposed.
  virtual bool can_rewind() const { return false; }
  virtual void rewind(std::size_t) {}
  virtual std::size_t most_rows() const = 0;
  /// How many tokens it scores.
  virtual std::size_t vocabulary() const = 0;
};
using next_token_network_maker = std::unique_ptr<next_token_network> (*)(const model_weights&,
                                                                         const compile_options&);

/// How much of what it has read a network takes back: with `last_step` or `all` its model has logits [B, T, vocab], and
/// for `all` its stream can be rewound.
enum class taken_back : std::uint8_t { nothing, last_step, all };

/// The model M as `streamed` makes a stream of it: tokens [B, T] and, where it has such an input, types [B, T] to
/// logits; or of an encoder-decoder, source [B, S], lengths [B] and target [B, T].
template <class M, auto streamed, taken_back back = taken_back::nothing>
class next_token_network_of final : public next_token_network {
public:
  static std::unique_ptr<next_token_network> make(const model_weights& weights, const compile_options& how) {
    return std::make_unique<next_token_network_of>(weights, how);
  }
  next_token_network_of(const model_weights& weights, const compile_options& how)
      : stream_(streamed(weights, how)), reader_(stream_, {}, {source_}) {}

  void read(token_ids source) override { source_ = std::move(source); }
  void begin(std::size_t rows) override { reader_.begin(rows); }
  token_scores step(std::span<const token_id> ids) override { return reader_.step(ids); }
  void reorder(std::span<const std::size_t> from) override { reader_.reorder(from); }
  bool can_rewind() const override { return back != taken_back::nothing; }
  void rewind([[maybe_unused]] std::size_t count) override {
    if constexpr (back != taken_back::nothing) reader_.rewind(count);
  }
  std::size_t most_rows() const override { return reader_.most_rows(); }
  std::size_t vocabulary() const override { return output_width<M>("logits"); }

private:
  struct begin_of_text {
    const token_ids& source;
    void operator()(auto& stream) const {
      if constexpr (M::has_input("source")) {
        const xt::xtensor<int, 1> lengths{static_cast<int>(source.size())};
        stream.begin("source"_in = xt::adapt(source, std::array{std::size_t{1}, source.size()}),
                     "lengths"_in = lengths);
      } else {
        stream.begin();
      }
    }
  };
  using stream_type = std::invoke_result_t<decltype(streamed), const model_weights&, const compile_options&>;
  static constexpr bool is_saved = [] {
    if constexpr (back == taken_back::last_step)
      return !stream_type::can_rewind;
    else
      return false;
  }();
  using reader_type =
      std::conditional_t<is_saved, saved_reader<stream_type, step_of_tokens<M>, begin_of_text>,
                         stream_reader<stream_type, step_of_tokens<M>, begin_of_text>>;

  token_ids source_;
  stream_type stream_;
  reader_type reader_;
};

} // namespace fovea::programs
