#pragma once

// Speculative decoding (Leviathan, Kalman and Matias 2023; Chen et al. 2023): a draft proposes tokens, and the model
// reads them all in one step.

#include <fovea/runtime/decoding/draft.hpp>
#include <fovea/runtime/decoding/filtered_scores.hpp>
#include <fovea/runtime/decoding/generate.hpp>

#include <functional>

namespace fovea::core {

/// A text, how many tokens were proposed for it, and how many of these it has.
struct speculated_text : hypothesis {
  std::size_t proposed = 0, accepted = 0;
};

namespace detail {

/// Changes the scores of what follows the ids that were read.
using score_filter = std::function<void(std::span<const token_id>, std::span<float>)>;

/// A text that goes on with tokens of which some are proposed.
class speculation {
public:
  /// Throws fovea::error for an empty prompt, and an option out of its range. The options live as long as this.
  speculation(const token_ids& prompt, const sampling_options& how, const stopping_options& where,
              const token_callback& each, score_filter filter);

  /// The prompt, and what was generated.
  const token_ids& read() const { return text_.read(); }
  /// How many tokens may be proposed behind that: one more comes behind them.
  std::size_t most_proposed() const { return most_tokens_ - written_ - 1; }
  /// Throws fovea::error where there are more, the model has no such token, or the draft scores so many others; 0: it does
  /// not say.
  void propose(std::vector<proposed_token> proposed, std::size_t vocabulary_of_draft);

  /// What the model reads next: the prompt, then the newest token and those that are proposed.
  const token_ids& unread() const { return unread_; }
  /// Takes the scores after each of these. Returns how many of the newest the text does not go on with.
  std::size_t take(const token_scores& scores);
  bool ended() const { return ended_; }
  speculated_text result();

private:
  token_scores changed(const token_scores& scores);

  sampled_text text_;
  score_filter filter_;
  std::size_t most_tokens_, written_ = 0, vocabulary_ = 0, accepted_ = 0, all_proposed_ = 0;
  std::vector<proposed_token> proposed_;
  token_ids unread_;
  std::vector<float> changed_;
  bool ended_ = false;
};

template <token_draft D>
std::size_t vocabulary_of(const D& draft) {
  if constexpr (requires { draft.vocabulary(); })
    return draft.vocabulary();
  else
    return 0;
}

template <rewindable_model M, token_draft D>
speculated_text speculate(M& model, D& draft, speculation text, const sampling_options& how) {
  draft.begin();
  model.begin(1);
  text.take(model.step(text.unread()));
  while (!text.ended()) {
    std::vector<proposed_token> proposed = draft.propose(text.read(), text.most_proposed(), how);
    text.propose(std::move(proposed), vocabulary_of(draft));
    const std::size_t refused = text.take(model.step(text.unread()));
    if (refused > 0) model.rewind(refused);
  }
  return text.result();
}

} // namespace detail

/// Goes on with a prompt as `sample` does, in fewer steps where the draft proposes what the model would say. The texts are
/// those of `sample`: by a draft that is certain (lookup_draft), or by temperature 0, the same text for the same seed; by
/// one that draws (model_draft), as probable. Where two tokens are equally likely but for rounding, a step of several
/// tokens may choose the other. Throws fovea::error as `sample` does, and where the draft has another vocabulary, the model
/// gives the scores after the last id alone (last<T>(...)), or options.samples is not 1.
template <rewindable_model M, token_draft D>
speculated_text speculate(M& model, D& draft, const token_ids& prompt, const sampling_options& options,
                          const stopping_options& where, const token_callback& each = {}) {
  return detail::speculate(model, draft, {prompt, options, where, each, {}}, options);
}

/// The same by scores that a filter changes. It sees no token that the text does not go on with.
template <rewindable_model M, class F, token_draft D>
speculated_text speculate(filtered_scores<M, F>& model, D& draft, const token_ids& prompt,
                          const sampling_options& options, const stopping_options& where,
                          const token_callback& each = {}) {
  return detail::speculate(model.model(), draft, {prompt, options, where, each, std::ref(model.filter())},
                           options);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::speculate, core::speculated_text;
} // namespace fovea
