#pragma once

#include <fovea/programs/printed_text.hpp>
#include <fovea/programs/serve/row_writer.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace fovea::programs {

/// A text that one thread writes and another waits for.
class completion final : public wanted_text {
public:
  using clock = std::chrono::steady_clock;

  /// `watched`: somebody waits for each piece, and not for the whole alone. With a grammar the text is spelled by itself,
  /// and not as what goes on with the prompt.
  completion(const tokenizer& words, token_ids from, const sampling_options& draw, stopping_options until,
             std::vector<std::string> stops, bool watched, std::optional<token_grammar> grammar);

  bool add(token_id id) override;
  void end(ended_by why, const std::string& problem) override;

  struct news {
    std::string text; // since the last news
    bool ended = false;
    ended_by why = ended_by::length;
    std::string problem = {};
  };
  /// Waits for more of a text that is watched, or its end; nothing new where `until` comes first.
  news wait(clock::time_point until);
  /// Waits for all of it. Where `until` comes first, `ended` is false.
  news wait_for_all(clock::time_point until);
  /// Nobody waits any more.
  void leave();

  std::size_t tokens() const;

private:
  const bool watched_;
  mutable std::mutex mutex_; // of what follows
  std::condition_variable changed_;
  printed_text spelled_;
  news now_;
  std::size_t tokens_ = 0;
  bool left_ = false;
};

} // namespace fovea::programs
