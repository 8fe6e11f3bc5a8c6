#include <fovea/programs/looking_ahead.hpp>

#include <fovea/runtime/decoding/lookup_draft.hpp>
#include <fovea/runtime/decoding/model_draft.hpp>

namespace fovea::programs {
namespace {

/// What a draft says comes next for certain.
template <class D>
draft_of_text certain(D draft) {
  return [draft](std::span<const token_id> text, std::size_t most) mutable {
    token_ids ids;
    for (const proposed_token& p : draft.propose(text, most, {.temperature = 0})) ids.push_back(p.id);
    return ids;
  };
}

} // namespace

draft_of_text draft_by_lookup(std::size_t tokens) { return certain(lookup_draft({.tokens = tokens})); }

draft_of_text draft_by_network(std::shared_ptr<next_token_network> small, std::size_t tokens) {
  model_draft<next_token_network> draft(*small, tokens);
  draft.begin(); // of another text it forgets what that has not
  return [small = std::move(small), propose = certain(std::move(draft))](
             std::span<const token_id> text, std::size_t most) { return propose(text, most); };
}

void looking_ahead::begin(std::size_t rows) {
  network_.begin(rows);
  text_.clear();
  ahead_.clear();
  accepted_ = 0;
}

token_scores looking_ahead::step(std::span<const token_id> ids) {
  text_.insert(text_.end(), ids.begin(), ids.end());
  if (ids.size() == 1 && accepted_ < ahead_.size() && ids[0] == ahead_[accepted_]) {
    ++all_accepted_;
    return scores_->part(scores_->positions() - ahead_.size() + accepted_++, 1);
  }
  if (accepted_ < ahead_.size()) network_.rewind(ahead_.size() - accepted_);
  ahead_.clear();
  accepted_ = 0;
  if (text_.size() < context_) ahead_ = draft_(text_, context_ - text_.size());
  all_proposed_ += ahead_.size();
  token_ids all(ids.begin(), ids.end());
  all.insert(all.end(), ahead_.begin(), ahead_.end());
  scores_ = network_.step(all);
  return scores_->part(0, ids.size());
}

} // namespace fovea::programs
