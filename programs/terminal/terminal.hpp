#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

namespace terminal {

/// The columns of a terminal, 80 where the stream is none or does not say.
std::size_t columns_of(std::FILE* stream);

/// A line on stderr that shows how far some work has come; nothing where stderr is no terminal. Taken away at
/// its end.
class progress_bar {
public:
  /// `doing` and `things` as in "indexing [===   ] 3/6 passages, 2 s left"; `begun` were done before.
  progress_bar(std::string doing, std::string things, std::size_t total, std::size_t begun = 0);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// `note` stands in front of the time that is left.
  void show(std::size_t done, const std::string& note = "");

private:
  using clock = std::chrono::steady_clock;

  std::string doing_, things_;
  std::size_t total_, begun_;
  bool terminal_;
  clock::time_point started_ = clock::now(), shown_{};
};

} // namespace terminal
