#pragma once

#include <fovea/runtime/decoding/class_scores.hpp>
#include <fovea/runtime/decoding/ctc.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <map>
#include <utility>

namespace fovea::core {

/// All that decoding asks of a transducer (Graves 2012), beside its encoder's frames. Several texts go through it together.
///   state                  what it keeps of the labels that a text has said; copies go their own ways
///   start()                before any label
///   say(states, labels)    after one more label of each text: as many states
///   scores(frame, states)  of what each text says next at a frame [width]: [texts, classes], whose softmax gives the
///                          probabilities; valid until the next call
template <class M>
concept rnnt_model = std::copyable<typename M::state> &&
    requires(M& model, std::span<const typename M::state> states, std::span<const std::int32_t> labels,
             std::span<const float> frame) {
  { model.start() } -> std::same_as<typename M::state>;
  { model.say(states, labels) } -> std::same_as<std::vector<typename M::state>>;
  { model.scores(frame, states) } -> std::convertible_to<std::span<const float>>;
};

/// A label, and the frame, from 0, that says it.
using rnnt_label = ctc_label;

/// How a transducer is read.
///   blank       the class that moves on to the next frame
///   max_labels  the most labels of one frame: a network that has not learned may say labels for ever
struct rnnt_greedy_options {
  std::int32_t blank = 0;
  std::size_t max_labels = 10;
};

/// How beams of labels are searched.
///   width       how many texts are kept after each frame, and at each label within it
///   best        the most texts that are returned
///   blank       the class that moves on to the next frame
///   max_labels  the most labels of one frame
struct rnnt_beam_options {
  std::size_t width = 8;
  std::size_t best = 1;
  std::int32_t blank = 0;
  std::size_t max_labels = 3;
};

/// Labels, and log of their probability, as far as the beam saw their alignments.
struct rnnt_text {
  std::vector<std::int32_t> labels;
  double log_probability = 0;
};

namespace detail {

void check(const rnnt_beam_options& options);

/// A text goes on with a label.
struct label_after {
  std::size_t text;
  std::int32_t label;
  double log_probability; // of the text with the label
};

/// The most probable of all texts with one more label, at most `count`, best first; of equal ones that of the earlier
/// text, then the smaller label.
std::vector<label_after> best_labels(std::span<const double> log_probabilities, std::size_t classes,
                                     std::int32_t blank, std::size_t count);

} // namespace detail

/// What scores highest at each frame, label after label until the blank does. It takes frames as they come. The model
/// lives as long as the reader.
template <rnnt_model M>
class rnnt_reader {
public:
  explicit rnnt_reader(M& model, const rnnt_greedy_options& options = {})
      : model_(model), options_(options), state_(model.start()) {}

  /// The labels of the next frames [frames, width]. Of equal scores the smaller class. Throws fovea::error where a score is
  /// NaN, or the blank no class.
  std::vector<rnnt_label> read(const xt::xtensor<float, 2>& frames) {
    std::vector<rnnt_label> made;
    for (std::size_t t = 0; t < frames.shape()[0]; ++t, ++frames_)
      for (std::size_t said = 0; said < options_.max_labels; ++said) {
        const std::span<const float> scores = model_.scores(detail::frame_of(frames, t), {&state_, 1});
        detail::check_blank("rnnt", options_.blank, scores.size());
        const std::int32_t label = detail::best_class("rnnt", scores);
        if (label == options_.blank) break;
        made.push_back({label, frames_});
        state_ = std::move(model_.say({&state_, 1}, {&label, 1}).front());
      }
    return made;
  }

private:
  M& model_;
  rnnt_greedy_options options_;
  typename M::state state_;
  std::int64_t frames_ = 0;
};

/// The same of all frames at once.
template <rnnt_model M>
std::vector<rnnt_label> rnnt_greedy(M& model, const xt::xtensor<float, 2>& frames,
                                    const rnnt_greedy_options& options = {}) {
  return rnnt_reader(model, options).read(frames);
}

/// The labels that are most probable, alignments that say the same added up: frames [frames, width]. At each frame texts
/// are kept by how many labels they say there, then those that have moved on (Saon et al. 2020, algorithm 1). Best
/// first; of equal ones the smaller labels. Throws fovea::error for an option out of its range, and where a score is NaN or
/// plus infinity.
template <rnnt_model M>
std::vector<rnnt_text> rnnt_beam_search(M& model, const xt::xtensor<float, 2>& frames,
                                        const rnnt_beam_options& options = {}) {
  using state = typename M::state;
  struct beam {
    std::vector<rnnt_text> texts;
    std::vector<state> states;
  };
  detail::check(options);
  beam kept{{rnnt_text{}}, {model.start()}};
  for (std::size_t t = 0; t < frames.shape()[0]; ++t) {
    std::map<std::vector<std::int32_t>, std::pair<double, state>> moved_on;
    beam here = std::move(kept);
    for (std::size_t said = 0; !here.texts.empty(); ++said) {
      const std::span<const float> scores = model.scores(detail::frame_of(frames, t), here.states);
      const std::size_t classes = scores.size() / here.texts.size();
      detail::check_blank("rnnt", options.blank, classes);
      std::vector<double> p(scores.size());
      for (std::size_t i = 0; i < here.texts.size(); ++i) {
        const std::span<double> of_text = std::span(p).subspan(i * classes, classes);
        detail::log_probabilities_of("rnnt", scores.subspan(i * classes, classes), of_text);
        const auto& [labels, log_probability] = here.texts[i];
        for (double& x : of_text) x += log_probability;
        const double moves = of_text[static_cast<std::size_t>(options.blank)];
        if (moves == -std::numeric_limits<double>::infinity()) continue;
        const auto [at, is_new] = moved_on.try_emplace(labels, moves, here.states[i]);
        if (!is_new) at->second.first = detail::log_sum(at->second.first, moves);
      }
      beam longer;
      std::vector<std::int32_t> said_next;
      if (said < options.max_labels)
        for (const auto& [text, label, log_probability] :
             detail::best_labels(p, classes, options.blank, options.width)) {
          longer.texts.push_back({here.texts[text].labels, log_probability});
          longer.texts.back().labels.push_back(label);
          longer.states.push_back(here.states[text]);
          said_next.push_back(label);
        }
      if (!said_next.empty()) longer.states = model.say(longer.states, said_next);
      here = std::move(longer);
    }
    std::vector<typename decltype(moved_on)::iterator> ranked;
    for (auto i = moved_on.begin(); i != moved_on.end(); ++i) ranked.push_back(i);
    std::ranges::sort(
        ranked, [](auto a, auto b) { // of equally probable ones the text of smaller labels first
          return a->second.first != b->second.first ? a->second.first > b->second.first : a->first < b->first;
        });
    kept = {};
    for (std::size_t i = 0; i < std::min(options.width, ranked.size()); ++i) {
      kept.texts.push_back({ranked[i]->first, ranked[i]->second.first});
      kept.states.push_back(std::move(ranked[i]->second.second));
    }
  }
  if (kept.texts.size() > options.best) kept.texts.resize(options.best);
  return std::move(kept.texts);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::rnnt_beam_options, core::rnnt_beam_search, core::rnnt_greedy, core::rnnt_greedy_options,
    core::rnnt_label, core::rnnt_model, core::rnnt_reader, core::rnnt_text;
} // namespace fovea
