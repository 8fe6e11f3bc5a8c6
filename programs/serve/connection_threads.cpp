#include <fovea/programs/serve/connection_threads.hpp>

#include <system_error>
#include <thread>
#include <utility>

namespace fovea::programs {

void connection_threads::enqueue(std::function<void()> connection) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(connection));
  if (threads_ == most_) return;
  try {
    std::thread([this] { serve(); }).detach();
    ++threads_;
  } catch (const std::system_error&) { // it waits for a thread that another client gets
  }
}

void connection_threads::serve() {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) {
    std::function<void()> connection = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    connection();
    connection = nullptr;
    lock.lock();
  }
  --threads_;
  std::notify_all_at_thread_exit(ended_, std::move(lock)); // which holds the lock until nothing is left of it
}

void connection_threads::shutdown() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return threads_ == 0; });
}

} // namespace fovea::programs
