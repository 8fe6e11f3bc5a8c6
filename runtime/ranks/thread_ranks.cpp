#include <fovea/runtime/ranks/thread_ranks.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

#include <fovea/base/error.hpp>
#include <fovea/base/joined_threads.hpp>

namespace fovea::core {

namespace {

/// Where the threads of a group wait for each other.
class meeting_place {
public:
  explicit meeting_place(int size)
      : values_(static_cast<std::size_t>(size)), bytes_(values_.size()), sent_(values_.size()) {}

  int size() const { return static_cast<int>(values_.size()); }

  void sum(int rank, std::span<float> values) {
    values_[static_cast<std::size_t>(rank)] = values;
    wait();
    for (const std::span<float>& one : values_) expect_size(one.size(), values_[0].size());
    // Each rank adds a part, and writes it to all.
    const std::size_t parts = values_.size(), part = static_cast<std::size_t>(rank);
    for (std::size_t i = values.size() * part / parts; i < values.size() * (part + 1) / parts; ++i) {
      float total = values_[0][i];
      for (std::size_t r = 1; r < parts; ++r) total += values_[r][i];
      for (const std::span<float>& one : values_) one[i] = total;
    }
    wait();
  }

  void broadcast(int rank, std::span<std::byte> bytes, int from) {
    bytes_[static_cast<std::size_t>(rank)] = bytes;
    wait();
    const std::span<std::byte> source = bytes_[static_cast<std::size_t>(from)];
    for (const std::span<std::byte>& one : bytes_) expect_size(one.size(), source.size());
    if (rank != from) std::ranges::copy(source, bytes.begin());
    wait();
  }

  // Both while the ranks wait: threads of one process have nothing to send.

  void exchange(int rank, std::span<const std::byte> from, std::span<const std::size_t> ends,
                std::span<std::byte> to) {
    const auto part = static_cast<std::size_t>(rank);
    sent_[part] = from;
    wait();
    const std::size_t first = part == 0 ? 0 : ends[part - 1], count = ends[part] - first;
    expect_size(to.size(), count * sent_.size());
    for (const std::span<const std::byte>& one : sent_) {
      expect_size(one.size(), from.size());
      std::ranges::copy(one.subspan(first, count), to.begin());
      to = to.subspan(count);
    }
    wait();
  }

  void gather(int rank, std::span<std::byte> bytes, std::span<const std::size_t> ends) {
    bytes_[static_cast<std::size_t>(rank)] = bytes;
    wait();
    for (std::size_t r = 0, first = 0; r < ends.size(); first = ends[r++]) {
      expect_size(bytes_[r].size(), bytes.size());
      if (r != static_cast<std::size_t>(rank))
        std::ranges::copy(bytes_[r].subspan(first, ends[r] - first), bytes.subspan(first).begin());
    }
    wait();
  }

  /// The rank comes no more.
  void leave(int rank) {
    const std::lock_guard lock(mutex_);
    if (left_ < 0) left_ = rank;
    changed_.notify_all();
  }

private:
  static void expect_size(std::size_t found, std::size_t expected) {
    if (found != expected)
      throw error("expected as many values on every rank, found " + std::to_string(expected) + " and " +
                  std::to_string(found));
  }

  /// Returns when all ranks have come here.
  void wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t now = round_;
    if (left_ < 0 && ++arrived_ == size()) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return round_ != now || left_ >= 0; });
    if (round_ == now)
      throw error("rank " + std::to_string(left_) +
                  " has left the group; expected the same calls on every rank");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::span<float>> values_;    // of each rank
  std::vector<std::span<std::byte>> bytes_; // of each rank
  std::vector<std::span<const std::byte>> sent_;
  int arrived_ = 0, left_ = -1;
  std::uint64_t round_ = 0;
};

struct thread_rank {
  meeting_place& place;
  int number;

  int rank() const { return number; }
  int size() const { return place.size(); }
  void sum(std::span<float> values) const { place.sum(number, values); }
  void broadcast(std::span<std::byte> bytes, int from) const { place.broadcast(number, bytes, from); }
  std::unique_ptr<transfer> begin_exchange(std::span<const std::byte> from, std::span<const std::size_t> ends,
                                           std::span<std::byte> to) const {
    place.exchange(number, from, ends, to);
    return nullptr;
  }
  std::unique_ptr<transfer> begin_gather(std::span<std::byte> bytes,
                                         std::span<const std::size_t> ends) const {
    place.gather(number, bytes, ends);
    return nullptr;
  }
};

} // namespace

void run_ranks(int size, const std::function<void(const rank_group&)>& work) {
  if (size < 1) throw error("run_ranks: expected at least one rank, found " + std::to_string(size));
  meeting_place place(size);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](int rank) {
    try {
      work(rank_group(thread_rank{place, rank}));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (first == nullptr) first = std::current_exception();
    }
    place.leave(rank);
  };
  joined_threads others;
  for (int rank = 1; rank < size; ++rank) try {
      others.start(run, rank);
    } catch (...) { // no thread can be started, and those that were wait for nobody
      place.leave(rank);
      throw;
    }
  run(0);
  others.join();
  if (first != nullptr) std::rethrow_exception(first);
}

} // namespace fovea::core
