#include <fovea/programs/looking_ahead.hpp>

namespace fovea::programs {

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
  if (text_.size() < context_)
    for (const proposed_token& p : draft_.propose(text_, context_ - text_.size(), {})) ahead_.push_back(p.id);
  all_proposed_ += ahead_.size();
  token_ids all(ids.begin(), ids.end());
  all.insert(all.end(), ahead_.begin(), ahead_.end());
  scores_ = network_.step(all);
  return scores_->part(0, ids.size());
}

} // namespace fovea::programs
