#include <fovea/programs/serve/connection_threads.hpp>

#include <system_error>
#include <utility>

namespace fovea::programs {

connection_threads::room connection_threads::enqueue(std::function<void()> connection) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(std::move(connection));
  if (threads_.size() == most_) return static_cast<room>(true);
  const auto own = threads_.emplace(threads_.end());
  try {
    *own = std::thread([this, own] { serve(own); });
  } catch (const std::system_error&) { // it waits for a thread of another client, or is heard by this one
    threads_.erase(own);
    if (!threads_.empty()) return static_cast<room>(true);
    connection = std::move(waiting_.back());
    waiting_.pop_back();
    lock.unlock();
    connection();
  }
  return static_cast<room>(true);
}

void connection_threads::serve(threads::iterator own) {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) {
    std::function<void()> connection = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    connection();
    connection = nullptr;
    lock.lock();
  }
  std::thread before = std::exchange(ended_, std::move(*own));
  threads_.erase(own);
  all_ended_.notify_all();
  lock.unlock();
  if (before.joinable()) before.join();
}

void connection_threads::shutdown() {
  std::unique_lock lock(mutex_);
  all_ended_.wait(lock, [&] { return threads_.empty(); });
  if (ended_.joinable()) ended_.join();
}

} // namespace fovea::programs
