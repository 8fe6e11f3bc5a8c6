#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/runtime/decoding/next_token.hpp>

#include <array>
#include <concepts>
#include <utility>

namespace fovea::core {
namespace detail {

struct begin_without_inputs {
  void operator()(auto& stream) const { stream.begin(); }
};

} // namespace detail

/// A stream as a model of the next token, each id read once:
///
///   auto live = stream<T>(last<T>(gpt<small>), weights, {.capacity = {{B, 4}, {T, 512}}});
///   stream_reader model(live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out];
///   });
///
/// `step` takes the stream and ids [rows, n] (xt::xtensor<token_id, 2>) and gives a view of scores,
/// row-major: [rows, n, vocabulary], or [rows, vocabulary] after the last id alone (last<T>(model)). A model
/// with inputs that do not depend on time (an encoder's) has a third argument that begins the stream with
/// them, a row for each text: [&](auto& s) { s.begin("source"_in = source, ...);
/// }, or takes the number of texts as well: [](auto& s, std::size_t rows) { ... }. The stream lives as long
/// as the reader; its own errors (too many rows, too long a text) pass through.
template <class S, class step_function, class begin_function = detail::begin_without_inputs>
class stream_reader {
public:
  stream_reader(S& stream, step_function step, begin_function begin = {})
      : stream_(stream), step_(std::move(step)), begin_(std::move(begin)) {
    if constexpr (requires { S::latency; })
      static_assert(S::latency == 0,
                    "stream_reader: the model looks at later positions, of which a text that is "
                    "being written has none; give it causal masks and windows [F0306]");
  }

  void begin(std::size_t rows) {
    if constexpr (std::invocable<begin_function&, S&, std::size_t>)
      begin_(stream_, rows);
    else
      begin_(stream_);
    rows_ = rows;
  }

  token_scores step(std::span<const token_id> ids) {
    const std::size_t positions = ids.size() / rows_;
    const xt::xtensor<token_id, 2> next =
        xt::adapt(ids.data(), ids.size(), xt::no_ownership(), std::array<std::size_t, 2>{rows_, positions});
    const auto scores = step_(stream_, next);
    const bool of_last = scores.dimension() == 2;
    return {scores.data(), rows_, of_last ? 1 : positions, scores.shape()[scores.dimension() - 1]};
  }

  void reorder(std::span<const std::size_t> from) {
    stream_.reorder(from);
    rows_ = from.size();
  }

  /// Of a stream that can be rewound; of others the call is a compile-time error, and saved_reader takes this one's place.
  void rewind(std::size_t count) { stream_.rewind(count); }

  std::size_t most_rows() const { return stream_.most_rows(); }

private:
  S& stream_;
  step_function step_;
  begin_function begin_;
  std::size_t rows_ = 0;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::stream_reader;
} // namespace fovea
