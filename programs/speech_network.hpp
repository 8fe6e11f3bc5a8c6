#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/fovea.hpp>
#include <fovea/programs/input_axis.hpp>
#include <fovea/programs/output_width.hpp>
#include <fovea/programs/whole_model.hpp>
#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace fovea::programs {

/// What a model of speech takes and gives: features [frames, mels] of a window, and scores of so many tokens.
struct speech_sizes {
  std::size_t frames, mels, vocabulary;
};
template <class M>
inline constexpr speech_sizes speech_sizes_of{
    static_cast<std::size_t>(input_axis<whole_model<M>>("features", 1, 0)),
    static_cast<std::size_t>(input_axis<whole_model<M>>("features", 2, 0)), output_width<M>("logits")};

/// A model of the next token of what is said in a window of sound, whatever model it is. Texts begin as one row.
class speech_network {
public:
  virtual ~speech_network() = default;
  /// The texts from the next `begin` on are of these features [frames, mels].
  virtual void hear(std::span<const float> features) = 0;
  virtual void begin(std::size_t rows) = 0;
  virtual token_scores step(std::span<const token_id> ids) = 0;
  virtual void reorder(std::span<const std::size_t> from) = 0;
  virtual std::size_t most_rows() const = 0;
};
using speech_network_maker = std::unique_ptr<speech_network> (*)(const model_weights&,
                                                                 const compile_options&);

/// The model M as `streamed` makes a stream of it: features [B, frames, mels] and decoder_ids [B, T] to logits. What is heard
/// goes through the encoder once, however many texts are written of it.
template <class M, auto streamed>
class speech_network_of final : public speech_network {
public:
  static std::unique_ptr<speech_network> make(const model_weights& weights, const compile_options& how) {
    return std::make_unique<speech_network_of>(weights, how);
  }
  speech_network_of(const model_weights& weights, const compile_options& how)
      : stream_(streamed(weights, how)), reader_(stream_, {}, {heard_}) {}

  void hear(std::span<const float> features) override {
    stream_.begin("features"_in = xt::adapt(features.data(), features.size(), xt::no_ownership(),
                                            std::array{std::size_t{1}, sizes.frames, sizes.mels}));
    heard_ = true;
  }
  void begin(std::size_t rows) override { reader_.begin(rows); }
  token_scores step(std::span<const token_id> ids) override { return reader_.step(ids); }
  void reorder(std::span<const std::size_t> from) override { reader_.reorder(from); }
  std::size_t most_rows() const override { return reader_.most_rows(); }

private:
  static constexpr speech_sizes sizes = speech_sizes_of<M>;

  struct step_of_ids {
    auto operator()(auto& stream, const auto& ids) const {
      return stream.step("decoder_ids"_in = ids)["logits"_out];
    }
  };
  /// Another text of what was heard: one row goes on without what it has read.
  struct begin_again {
    bool& heard;
    void operator()(auto& stream) const {
      if (!heard) {
        stream.reorder(std::array{std::size_t{0}});
        stream.reset(0);
      }
      heard = false;
    }
  };
  using stream_type = std::invoke_result_t<decltype(streamed), const model_weights&, const compile_options&>;

  bool heard_ = false; // and nothing written of it yet
  stream_type stream_;
  stream_reader<stream_type, step_of_ids, begin_again> reader_;
};

/// What becomes of samples in front of a speech_network: log10 of their energies in mels, for each frame within them.
class speech_hearing {
public:
  virtual ~speech_hearing() = default;
  /// [frames, mels] of 400 + 160 * (frames - 1) samples, at most `most_frames` of them; valid until the next call.
  virtual std::span<const float> logs_of(std::span<const float> samples) = 0;

  static constexpr std::size_t size = 400, hop = 160, rate = 16000, most_frames = 1000;
  static constexpr std::size_t samples_of(std::size_t frames) { return size + hop * (frames - 1); }
};
using speech_hearing_maker = std::unique_ptr<speech_hearing> (*)(int threads);

/// As `compiled` makes it of programs/hearing.hpp.
template <auto compiled>
class speech_hearing_of final : public speech_hearing {
public:
  static std::unique_ptr<speech_hearing> make(int threads) {
    return std::make_unique<speech_hearing_of>(threads);
  }
  explicit speech_hearing_of(int threads)
      : net_(compiled(
            model_weights::from({}),
            {.capacity = {{"T", static_cast<std::int64_t>(samples_of(most_frames))}}, .threads = threads})) {}

  std::span<const float> logs_of(std::span<const float> samples) override {
    const auto out = net_("samples"_in = xt::adapt(samples.data(), samples.size(), xt::no_ownership(),
                                                   std::array{samples.size()}));
    const auto logs = out["logs"_out];
    return {logs.data(), logs.size()};
  }

private:
  std::invoke_result_t<decltype(compiled), const model_weights&, const compile_options&> net_;
};

} // namespace fovea::programs
