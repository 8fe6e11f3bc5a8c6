#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/streamed.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace fovea::core {

/// A transducer of two networks: a stream predicts by the labels that have been said, and a joint network scores what is
/// next at a frame.
///
///   auto live = stream<S>(predictor, weights, {.capacity = {{B, 8}, {S, 1}}});
///   auto join = compile(joint, weights, {.capacity = {{B, 8}}});
///   rnnt_network network(
///       live, [](auto& s, const auto& labels) { return s.step("labels"_in = labels)["prediction"_out]; },
///       [&](const auto& frames, const auto& predictions) {
///         return join("frame"_in = frames, "prediction"_in = predictions)["logits"_out];
///       });
///
/// `step` takes the stream and a label of each row [rows, 1] (xt::xtensor<token_id, 2>) and gives a view of predictions,
/// [rows, 1, width] or [rows, width]. `joint` takes as many frames and predictions, [rows, width] each
/// (xt::xtensor<float, 2>), and gives a view of scores [rows, classes]. The predictor reads `first` before any label: the
/// blank, in most. A beam of w texts takes w rows. The stream lives as long as the network; its own errors pass through.
template <class S, class step_function, class joint_function>
class rnnt_network {
  using rows_of_floats = xt::xtensor<float, 2>;

public:
  struct state {
    stream_row row;
    std::vector<float> prediction;
  };

  rnnt_network(S& predictor, step_function step, joint_function joint, token_id first = 0)
      : predictor_(predictor), step_(std::move(step)), joint_(std::move(joint)), first_(first) {
    if constexpr (requires { S::latency; })
      static_assert(S::latency == 0,
                    "rnnt_network: the predictor looks at later labels, which nobody has said "
                    "yet; give its windows causal padding [F0384]");
  }

  state start() {
    predictor_.begin();
    return std::move(read({&first_, 1}).front());
  }

  std::vector<state> say(std::span<const state> states, std::span<const token_id> labels) {
    predictor_.begin();
    for (std::size_t row = 0; row < states.size(); ++row) predictor_.load(row, states[row].row);
    return read(labels);
  }

  std::span<const float> scores(std::span<const float> frame, std::span<const state> states) {
    auto frames = rows_of_floats::from_shape({states.size(), frame.size()});
    auto predictions = rows_of_floats::from_shape({states.size(), states.front().prediction.size()});
    for (std::size_t row = 0; row < states.size(); ++row) {
      std::ranges::copy(frame, &frames(row, 0));
      std::ranges::copy(states[row].prediction, &predictions(row, 0));
    }
    scores_.emplace(joint_(std::as_const(frames), std::as_const(predictions)));
    return {scores_->data(), scores_->size()};
  }

private:
  std::vector<state> read(std::span<const token_id> labels) {
    const xt::xtensor<token_id, 2> next = xt::adapt(labels.data(), labels.size(), xt::no_ownership(),
                                                    std::array<std::size_t, 2>{labels.size(), 1});
    const auto predictions = step_(predictor_, next);
    const std::size_t width = predictions.size() / labels.size();
    std::vector<state> made(labels.size());
    for (std::size_t row = 0; row < labels.size(); ++row)
      made[row] = {predictor_.save(row),
                   {predictions.data() + row * width, predictions.data() + (row + 1) * width}};
    return made;
  }

  S& predictor_;
  step_function step_;
  joint_function joint_;
  token_id first_;
  std::optional<decltype(std::declval<joint_function&>()(std::declval<const rows_of_floats&>(),
                                                         std::declval<const rows_of_floats&>()))>
      scores_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::rnnt_network;
} // namespace fovea
