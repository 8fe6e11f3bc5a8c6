#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>

namespace semantic_search {

/// The columns of a terminal, 80 where the stream is none or does not say.
std::size_t columns_of(std::FILE* stream);

/// A line on stderr that shows how far the indexing has come; nothing where stderr is no terminal. Taken away
/// at its end.
class progress_bar {
public:
  explicit progress_bar(std::size_t total);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  void show(std::size_t done);

private:
  using clock = std::chrono::steady_clock;

  std::size_t total_;
  bool terminal_;
  clock::time_point started_ = clock::now(), shown_{};
};

} // namespace semantic_search
