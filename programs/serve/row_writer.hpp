#pragma once

#include <fovea/programs/row_network.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/grammar/token_grammar.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace fovea::programs {

/// A text that is written for somebody. Its members are called on the writer's thread.
class wanted_text {
public:
  wanted_text(token_ids from, sampling_options draw, stopping_options until,
              std::optional<token_grammar> allowed)
      : prompt(std::move(from)), how(draw), where(std::move(until)), grammar(std::move(allowed)) {}
  virtual ~wanted_text() = default;
  wanted_text(const wanted_text&) = delete;
  wanted_text& operator=(const wanted_text&) = delete;

  /// Is told of each token; false ends the text.
  virtual bool add(token_id id) = 0;
  /// Nothing comes any more. `problem`: why it was not written to its end; empty: it was.
  virtual void end(ended_by why, const std::string& problem) = 0;

  const token_ids prompt; // not empty
  const sampling_options how;
  const stopping_options where;
  std::optional<token_grammar> grammar; // what the text may say, if not anything
};

/// Writes many texts at once, a row each. A text begins as soon as there is a place, beside those that are being
/// written: between two steps of theirs a piece of what begins is read.
class row_writer {
public:
  /// `rows` texts are written at once, `waiting` more may wait, and `piece` tokens of prompts are read between two steps.
  row_writer(row_network& network, std::size_t rows, std::size_t waiting, std::size_t piece);
  /// Writes to their ends all texts that it has taken.
  ~row_writer();

  /// Takes these texts; false, and none of them, where more would wait than may.
  bool take(const std::vector<std::shared_ptr<wanted_text>>& texts);

  struct counts {
    std::size_t running, waiting;
    std::size_t prompt_tokens, tokens; // since it began
  };
  counts count() const;

private:
  struct row {
    explicit row(std::shared_ptr<wanted_text> wanted);

    std::shared_ptr<wanted_text> text;
    std::size_t read = 0; // of its prompt
    token_id next = 0;
    token_callback each;
    core::detail::sampled_text drawn;
  };

  void run();
  bool wait();
  std::shared_ptr<wanted_text> next_text();
  void read();
  void step();
  bool advance(row& of, const core::token_scores& scores, std::size_t at);
  void end(const row& of, ended_by why, const std::string& problem);
  void fail(const std::string& problem);

  row_network& network_;
  const std::size_t most_rows_, most_waiting_, piece_;
  std::vector<std::unique_ptr<row>> rows_; // that are written
  std::unique_ptr<row> reading_;
  mutable std::mutex mutex_; // of what follows
  std::condition_variable wake_;
  std::deque<std::shared_ptr<wanted_text>> waiting_;
  bool last_ = false;
  std::atomic<std::size_t> running_ = 0, prompt_tokens_ = 0, tokens_ = 0;
  std::thread thread_;
};

} // namespace fovea::programs
