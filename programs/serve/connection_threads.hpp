#pragma once

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <type_traits>

namespace fovea::programs {

/// A thread for each connection, `most` at once; further connections wait for one that ends. A thread ends with its
/// connection and gives back its stack and what malloc keeps for it. So a server's memory is that of the clients it has,
/// where threads that wait for the next client would each keep what their largest request took.
class connection_threads final : public httplib::TaskQueue {
public:
  explicit connection_threads(std::size_t most) : most_(most) {}
  ~connection_threads() override { shutdown(); }

  /// Whether there was room, where httplib asks for it: since 0.15.
  using room = std::invoke_result_t<decltype(&httplib::TaskQueue::enqueue), httplib::TaskQueue&,
                                    std::function<void()>>;
  room enqueue(std::function<void()> connection) override;
  /// Returns when all connections have ended.
  void shutdown() override;

private:
  using threads = std::list<std::thread>;
  void serve(threads::iterator own);

  const std::size_t most_;
  std::mutex mutex_; // of what follows
  std::deque<std::function<void()>> waiting_;
  threads threads_;
  std::thread ended_; // the last that did: each waits for the end of the one before
  std::condition_variable all_ended_;
};

} // namespace fovea::programs
