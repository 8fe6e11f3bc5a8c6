#include <fovea/programs/serve/row_writer.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace fovea::programs {

std::size_t row_writer::row::unread(std::size_t piece) const {
  if (!text) return 0;
  return read < text->prompt.size() ? std::min(piece, text->prompt.size() - read) : 1;
}

row_writer::row_writer(row_network& network, std::size_t rows, std::size_t waiting, std::size_t piece)
    : network_(network), most_waiting_(waiting), piece_(piece), rows_(rows), thread_([this] { run(); }) {}

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
    // Those that find a free row do not wait.
    const std::size_t free = rows_.size() - std::min(rows_.size(), running_.load());
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
  while (begin_texts()) step();
}

/// Gives free rows to texts that wait; waits for one where all rows are free. False: there will be no more.
bool row_writer::begin_texts() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return running_ > 0 || !waiting_.empty() || last_; });
  for (std::size_t i = 0; i < rows_.size() && !waiting_.empty(); ++i) {
    row& r = rows_[i];
    if (r.text) continue;
    r.text = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    r.read = 0;
    r.each = [text = r.text.get()](const generated_token& token) { return text->add(token.id); };
    r.drawn.emplace(0, 0, r.text->prompt, r.text->how, r.text->where, r.each);
    network_.reset(i);
  }
  return running_ > 0;
}

void row_writer::step() {
  std::vector<std::size_t> lengths;
  for (const row& r : rows_) lengths.push_back(r.unread(piece_));
  const std::size_t longest = std::ranges::max(lengths);
  token_ids ids(rows_.size() * longest);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const row& r = rows_[i];
    if (!r.text) continue;
    const auto to = ids.begin() + static_cast<std::ptrdiff_t>(i * longest);
    if (r.read < r.text->prompt.size())
      std::copy_n(r.text->prompt.begin() + static_cast<std::ptrdiff_t>(r.read), lengths[i], to);
    else
      *to = r.next;
  }
  try {
    const std::span<const float> values = network_.step(lengths, ids);
    const core::token_scores scores(values.data(), rows_.size(), 1, network_.vocabulary());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      row& r = rows_[i];
      if (!r.text) continue;
      if (r.read < r.text->prompt.size()) {
        r.read += lengths[i];
        prompt_tokens_ += lengths[i];
        if (r.read < r.text->prompt.size()) continue;
      }
      advance(i, scores);
    }
  } catch (const std::exception& problem) {
    for (row& r : rows_)
      if (r.text) end(r, ended_by::caller, problem.what());
  }
}

void row_writer::advance(std::size_t at, const core::token_scores& scores) {
  row& r = rows_[at];
  try {
    const auto next = r.drawn->advance(scores, at);
    ++tokens_;
    if (next.empty())
      end(r, r.drawn->result().ended, "");
    else
      r.next = next.front().id;
  } catch (const std::exception& problem) { // scores that are no numbers
    end(r, ended_by::caller, problem.what());
  }
}

void row_writer::end(row& of, ended_by why, const std::string& problem) {
  const std::shared_ptr<wanted_text> text = std::exchange(of.text, nullptr);
  of.drawn.reset();
  --running_;
  text->end(why, problem);
}

} // namespace fovea::programs
