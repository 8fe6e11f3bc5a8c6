#include <fovea/programs/serve/row_writer.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace fovea::programs {

row_writer::row::row(std::shared_ptr<wanted_text> wanted)
    : text(std::move(wanted)),
      each([to = text.get()](const generated_token& token) { return to->add(token.id); }),
      drawn(0, 0, text->prompt, text->how, text->where, each) {}

row_writer::row_writer(row_network& network, std::size_t rows, std::size_t waiting, std::size_t piece)
    : network_(network), most_rows_(rows), most_waiting_(waiting), piece_(piece), thread_([this] { run(); }) {
}

row_writer::~row_writer() {
  {
    const std::lock_guard lock(mutex_);
    last_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool row_writer::take(const std::vector<std::shared_ptr<wanted_text>>& texts) {
  {
    const std::lock_guard lock(mutex_);
    // Those that find a place do not wait.
    const std::size_t free = most_rows_ - std::min(most_rows_, running_.load());
    if (last_ || waiting_.size() + texts.size() > most_waiting_ + free) return false;
    waiting_.insert(waiting_.end(), texts.begin(), texts.end());
  }
  wake_.notify_one();
  return true;
}

row_writer::counts row_writer::count() const {
  const std::lock_guard lock(mutex_);
  return {running_, waiting_.size(), prompt_tokens_, tokens_};
}

void row_writer::run() {
  while (wait()) {
    try {
      read();
      step();
    } catch (const std::exception& problem) {
      fail(problem.what());
    }
  }
}

/// False where there is nothing left to do, and there will be nothing.
bool row_writer::wait() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return running_ > 0 || !waiting_.empty() || last_; });
  return running_ > 0 || !waiting_.empty();
}

std::shared_ptr<wanted_text> row_writer::next_text() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty() || rows_.size() == most_rows_) return nullptr;
  const std::shared_ptr<wanted_text> text = std::move(waiting_.front());
  waiting_.pop_front();
  ++running_;
  return text;
}

/// A piece of one prompt, or several that are short.
void row_writer::read() {
  for (std::size_t left = piece_; left > 0;) {
    if (!reading_) {
      std::shared_ptr<wanted_text> text = next_text();
      if (!text) return;
      reading_ = std::make_unique<row>(std::move(text));
    }
    row& r = *reading_;
    const std::span<const token_id> unread = std::span(r.text->prompt).subspan(r.read);
    const std::span<const token_id> piece = unread.first(std::min(left, unread.size()));
    const core::token_scores scores(network_.read(piece, r.read == 0).data(), 1, 1, network_.vocabulary());
    r.read += piece.size(), left -= piece.size(), prompt_tokens_ += piece.size();
    if (r.read < r.text->prompt.size()) continue;
    if (advance(r, scores, 0)) {
      network_.join();
      rows_.push_back(std::move(reading_));
    }
    reading_.reset();
  }
}

/// A token of each text.
void row_writer::step() {
  if (rows_.empty()) return;
  token_ids ids;
  for (const auto& r : rows_) ids.push_back(r->next);
  const core::token_scores scores(network_.step(ids).data(), rows_.size(), 1, network_.vocabulary());
  std::vector<std::size_t> ended;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (!advance(*rows_[i], scores, i)) ended.push_back(i);
  for (; !ended.empty(); ended.pop_back()) { // from the last on, so that places stay what they are
    network_.leave(ended.back());
    rows_[ended.back()] = std::move(rows_.back());
    rows_.pop_back();
  }
}

/// The next token of a text, by the scores of row `at`; false where it has ended.
bool row_writer::advance(row& of, const core::token_scores& scores, std::size_t at) {
  try {
    std::optional<token_grammar>& grammar = of.text->grammar;
    const token_ids& written = of.drawn.result().ids;
    const auto next =
        grammar ? of.drawn.advance(grammar->allowed(scores, at, written), 0) : of.drawn.advance(scores, at);
    ++tokens_;
    const bool has_to_end = grammar && grammar->has_to_end(written);
    if (next.empty() || has_to_end) {
      end(of, has_to_end ? ended_by::token : of.drawn.result().ended, "");
      return false;
    }
    of.next = next.front().id;
    return true;
  } catch (const std::exception& problem) { // scores that are no numbers
    end(of, ended_by::caller, problem.what());
    return false;
  }
}

void row_writer::end(const row& of, ended_by why, const std::string& problem) {
  --running_;
  of.text->end(why, problem);
}

/// All texts that have begun.
void row_writer::fail(const std::string& problem) {
  if (reading_) end(*std::exchange(reading_, nullptr), ended_by::caller, problem);
  for (; !rows_.empty(); rows_.pop_back()) {
    network_.leave(rows_.size() - 1);
    end(*rows_.back(), ended_by::caller, problem);
  }
}

} // namespace fovea::programs
