#pragma once

#include <thread>
#include <vector>

namespace fovea::core {

/// Threads that the end of their scope waits for, as it does for std::jthread, which LLVM's library keeps back before version 20.
class joined_threads {
public:
  joined_threads() = default;
  ~joined_threads() { join(); }
  joined_threads(const joined_threads&) = delete;
  joined_threads& operator=(const joined_threads&) = delete;

  /// Starts a thread of f(arguments...). Throws std::system_error where none can be started.
  template <class F, class... arguments>
  void start(F&& f, arguments&&... of_it) {
    threads_.emplace_back(static_cast<F&&>(f), static_cast<arguments&&>(of_it)...);
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

private:
  std::vector<std::thread> threads_;
};

} // namespace fovea::core
