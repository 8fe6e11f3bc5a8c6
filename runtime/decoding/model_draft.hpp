#pragma once

#include <fovea/runtime/decoding/decode_together.hpp>
#include <fovea/runtime/decoding/draft.hpp>
#include <fovea/runtime/decoding/random.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace fovea::core {

/// A small model as the draft of a large one with the same tokens. It proposes as many tokens at once, drawn as the large
/// one's are. The model lives as long as the draft.
template <rewindable_model M>
class model_draft {
public:
  /// Throws fovea::error for no tokens.
  explicit model_draft(M& model, std::size_t tokens = 4) : model_(model), tokens_(tokens) {
    detail::check_proposed("model_draft", tokens);
  }

  void begin() {
    model_.begin(1);
    read_.clear();
  }

  std::vector<proposed_token> propose(std::span<const token_id> text, std::size_t most,
                                      const sampling_options& how) {
    forget_others(text);
    std::vector<proposed_token> proposed;
    token_ids unread(text.begin() + static_cast<std::ptrdiff_t>(read_.size()), text.end());
    while (proposed.size() < std::min(most, tokens_)) {
      const token_scores scores = model_.step(unread);
      detail::check_scores(scores, 1, unread.size());
      vocabulary_ = scores.vocabulary();
      read_.insert(read_.end(), unread.begin(), unread.end());
      detail::log_sum_exp(scores.last(0)); // are they numbers?
      std::vector<token_probability> tokens = filtered(scores.last(0), how, read_);
      const token_id id = detail::drawn(tokens, uniform(how.seed, sequence, read_.size()));
      proposed.push_back({id, std::move(tokens)});
      unread.assign(1, id);
    }
    return proposed;
  }

  std::size_t vocabulary() const { return vocabulary_; }

private:
  /// Of random numbers: no sample of a text has this one.
  static constexpr std::uint64_t sequence = std::numeric_limits<std::uint64_t>::max();

  /// The model forgets what it has read that is no part of the text, and where it has read all of it the last token, which
  /// it is asked about.
  void forget_others(std::span<const token_id> text) {
    const auto kept = static_cast<std::size_t>(std::ranges::mismatch(read_, text.first(text.size() - 1)).in1 -
                                               read_.begin());
    if (kept < read_.size()) model_.rewind(read_.size() - kept);
    read_.resize(kept);
  }

  M& model_;
  std::size_t tokens_, vocabulary_ = 0;
  token_ids read_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::model_draft;
} // namespace fovea
