#pragma once

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace fovea::programs {

/// A thread for each connection, `most` at once; further connections wait for one that ends. A thread ends with its
/// connection and gives back its stack and what malloc keeps for it. So a server's memory is that of the clients it has,
/// where threads that wait for the next client would each keep what their largest request took.
class connection_threads final : public httplib::TaskQueue {
public:
  explicit connection_threads(std::size_t most) : most_(most) {}
  ~connection_threads() override { shutdown(); }

  void enqueue(std::function<void()> connection) override;
  /// Returns when all connections have ended.
  void shutdown() override;

private:
  void serve();

  const std::size_t most_;
  std::mutex mutex_; // of what follows
  std::deque<std::function<void()>> waiting_;
  std::size_t threads_ = 0;
  std::condition_variable ended_; // all of them
};

} // namespace fovea::programs
