#include <fovea/runtime/decoding/speculate.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace fovea::core::detail {
namespace {

using std::to_string;

const token_ids& checked(const token_ids& prompt, const sampling_options& how,
                         const stopping_options& where) {
  check_prompts(std::span(&prompt, 1));
  check(how);
  check(where);
  if (how.samples != 1)
    throw error("speculate: expected samples of 1, a text at a time; found " + to_string(how.samples));
  return prompt;
}

/// All that were read have scores, of the same vocabulary as before.
void check_each(const token_scores& scores, std::size_t positions, std::size_t vocabulary) {
  if (scores.positions() < positions)
    throw error("speculate: expected scores after each of " + to_string(positions) +
                " ids, found those after the last alone; give it the model without last<T>(...)");
  if (scores.vocabulary() != vocabulary)
    throw error("speculate: expected scores of " + to_string(vocabulary) + " tokens, as before; found " +
                to_string(scores.vocabulary()));
}

} // namespace

speculation::speculation(const token_ids& prompt, const sampling_options& how, const stopping_options& where,
                         const token_callback& each, score_filter filter)
    : text_(0, 0, checked(prompt, how, where), how, where, each), filter_(std::move(filter)),
      most_tokens_(where.max_tokens), unread_(prompt) {}

void speculation::propose(std::vector<proposed_token> proposed, std::size_t vocabulary_of_draft) {
  if (vocabulary_of_draft != 0 && vocabulary_of_draft != vocabulary_)
    throw error("speculate: expected a draft of the model's " + to_string(vocabulary_) +
                " tokens; found one of " + to_string(vocabulary_of_draft));
  if (proposed.size() > most_proposed())
    throw error("speculate: expected at most " + to_string(most_proposed()) + " proposed tokens; found " +
                to_string(proposed.size()));
  for (const proposed_token& p : proposed) {
    if (!std::in_range<std::size_t>(p.id) || static_cast<std::size_t>(p.id) >= vocabulary_)
      throw error("speculate: expected proposed tokens of 0 to " + to_string(vocabulary_ - 1) + "; found " +
                  to_string(p.id));
    unread_.push_back(p.id);
  }
  proposed_ = std::move(proposed);
  all_proposed_ += proposed_.size();
}

std::size_t speculation::take(const token_scores& scores) {
  check_scores(scores, 1, unread_.size());
  if (written_ == 0)
    vocabulary_ = scores.vocabulary();
  else
    check_each(scores, unread_.size(), vocabulary_);
  for (std::size_t i = 0;; ++i) {
    const proposed_token* proposed = i < proposed_.size() ? &proposed_[i] : nullptr;
    const token_scores next = scores.part(scores.positions() - 1 - proposed_.size() + i, 1);
    ended_ = text_.advance(filter_ ? changed(next) : next, 0, proposed).empty();
    const token_id id = read().back();
    ++written_;
    unread_.assign(1, id);
    const bool accepted = proposed != nullptr && proposed->id == id;
    if (accepted) ++accepted_;
    if (ended_ || !accepted) return std::exchange(proposed_, {}).size() - i - (accepted ? 1 : 0);
  }
}

token_scores speculation::changed(const token_scores& scores) {
  const std::span<const float> last = scores.last(0);
  changed_.assign(last.begin(), last.end());
  filter_(read(), changed_);
  return {changed_.data(), 1, 1, changed_.size()};
}

speculated_text speculation::result() {
  speculated_text made;
  static_cast<hypothesis&>(made) = std::move(text_.result());
  made.proposed = all_proposed_;
  made.accepted = accepted_;
  return made;
}

} // namespace fovea::core::detail
