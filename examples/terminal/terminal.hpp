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
  /// `doing` and `things` as in "indexing [===   ] 3/6 passages, 2 s left".
  progress_bar(std::string doing, std::string things, std::size_t total);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  void show(std::size_t done);

private:
  using clock = std::chrono::steady_clock;

  std::string doing_, things_;
  std::size_t total_;
  bool terminal_;
  clock::time_point started_ = clock::now(), shown_{};
};

} // namespace terminal
