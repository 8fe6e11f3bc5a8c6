#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace fovea::core::system {

/// A thread that JavaScript has started, which waits for work.
struct worker;

/// The most threads that a pool may have now, its caller's among them: those that wait for work.
std::size_t most_threads() noexcept;

/// One of them, until it is joined. The calling thread alone makes and joins these.
class thread {
public:
  template <class F>
  explicit thread(F f) : thread(std::function<void()>(std::move(f))) {}
  explicit thread(std::function<void()> work);
  void join() noexcept;

private:
  worker* own_;
};

} // namespace fovea::core::system
