#include <fovea/programs/text_writer.hpp>

#include <utility>

namespace fovea::programs {

text_writer::text_writer(next_token_network& network, const tokenizer& words, token_ids prompt,
                         const sampling_options& how, const stopping_options& until,
                         std::vector<std::string> stops, std::size_t read,
                         std::optional<token_grammar> grammar)
    : network_(network), how_(how), until_(until), grammar_(std::move(grammar)),
      each_([this](const generated_token& token) {
        stopped_ = !spelled_.add(token.id);
        return !stopped_ && !(grammar_ && grammar_->has_to_end(written().ids));
      }),
      read_(prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(read)),
      unread_(prompt.begin() + static_cast<std::ptrdiff_t>(read), prompt.end()),
      spelled_(words, std::move(stops), [this](std::string_view more) { piece_ += more; }),
      text_(0, 0, std::move(prompt), how_, until_, each_) {
  core::detail::check(how_);
  core::detail::check(until_);
  for (const token_ids* ids : {&read_, &unread_})
    for (const token_id id : *ids) spelled_.add_prompt(id);
  if (grammar_) spelled_.begin_anew();
  prompt_.swap(piece_);
}

std::optional<std::string> text_writer::next() {
  if (unread_.empty()) return std::nullopt;
  if (read_.empty()) network_.begin(1);
  const token_scores scores = network_.step(unread_);
  core::detail::check_scores(scores, 1, unread_.size());
  read_.insert(read_.end(), unread_.begin(), unread_.end());
  unread_.clear();
  const token_scores left = grammar_ ? grammar_->allowed(scores, 0, written().ids) : scores;
  for (const core::detail::continuation& c : text_.advance(left, 0)) unread_.push_back(c.id);
  if (unread_.empty()) spelled_.finish();
  return std::exchange(piece_, {});
}

} // namespace fovea::programs
