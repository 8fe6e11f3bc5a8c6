#include <fovea/programs/serve/completion.hpp>

#include <utility>

namespace fovea::programs {

completion::completion(const tokenizer& words, token_ids from, const sampling_options& draw,
                       stopping_options until, std::vector<std::string> stops, bool watched,
                       std::optional<token_grammar> allowed)
    : wanted_text(std::move(from), draw, std::move(until), std::move(allowed)), watched_(watched),
      spelled_(words, std::move(stops), [this](std::string_view piece) { now_.text += piece; }) {
  // What begins a text is spelt otherwise than what goes on with one.
  for (const token_id id : prompt) spelled_.add_prompt(id);
  if (grammar) spelled_.begin_anew();
  now_.text.clear();
}

bool completion::add(token_id id) {
  bool goes_on = false;
  {
    const std::lock_guard lock(mutex_);
    ++tokens_;
    goes_on = spelled_.add(id) && !left_;
    // A stop string has been found: the text ends as with an end token.
    if (!goes_on) now_.why = ended_by::string;
  }
  if (watched_) changed_.notify_one(); // whom the whole alone concerns is not woken for a piece
  return goes_on;
}

void completion::end(ended_by why, const std::string& problem) {
  {
    const std::lock_guard lock(mutex_);
    spelled_.finish();
    if (why != ended_by::caller) now_.why = why;
    now_.problem = problem;
    now_.ended = true;
  }
  changed_.notify_one();
}

completion::news completion::wait(clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [&] { return now_.ended || !now_.text.empty(); });
  news told = now_;
  now_.text.clear();
  return told;
}

completion::news completion::wait_for_all(clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [&] { return now_.ended; });
  return now_;
}

void completion::leave() {
  const std::lock_guard lock(mutex_);
  left_ = true;
}

std::size_t completion::tokens() const {
  const std::lock_guard lock(mutex_);
  return tokens_;
}

} // namespace fovea::programs
