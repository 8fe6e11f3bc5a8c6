#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace fovea {

/// A fork-join pool: the caller and its workers share the tasks of one call, and `run` returns when all are
/// done. Nothing is allocated by `run`. A worker that no processor has time for delays nobody: the caller
/// waits for workers that have begun, never for one that has yet to wake. Waiting spins for some tens of
/// microseconds (the gap between two kernels), then sleeps. One thread at a time calls `run`, and tasks do
/// not call it.
class thread_pool {
public:
  /// 0 means one thread for each processor. Throws std::system_error when a thread can't be started.
  explicit thread_pool(std::size_t threads = 0);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  /// Threads that share the work, the caller among them.
  std::size_t size() const { return workers_.size() + 1; }

  /// Calls f(first, last, thread) for ranges that cover 0 <= i < tasks once each; `thread` < size() tells
  /// calls that run at the same time apart (for scratch memory). f must not throw.
  template <class F>
  void run(std::size_t tasks, F&& f) {
    using function = std::remove_reference_t<F>;
    if (tasks == 0) return;
    if (workers_.empty() || tasks == 1) {
      f(std::size_t{0}, tasks, std::size_t{0});
      return;
    }
    share(
        tasks,
        [](void* context, std::size_t first, std::size_t last, std::size_t thread) {
          (*static_cast<function*>(context))(first, last, thread);
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))));
  }

private:
  using range_function = void (*)(void* context, std::size_t first, std::size_t last, std::size_t thread);

  void share(std::size_t tasks, range_function f, void* context);
  void take(std::size_t thread) noexcept;
  void work(std::size_t thread) noexcept;
  void stop() noexcept;

  // The job; written only while no worker is inside one.
  range_function function_ = nullptr;
  void* context_ = nullptr;
  std::size_t tasks_ = 0;
  alignas(64) std::atomic<std::size_t> next_{0};
  // Bit 0: the pool ends. Bit 1: a job is open. Bits 2 to 11: workers inside it. Above: the number of the
  // job.
  alignas(64) std::atomic<std::uint32_t> state_{0};
  // 1 once the last worker has left a job that was closed before.
  alignas(64) std::atomic<std::uint32_t> all_left_{0};
  std::vector<std::thread> workers_;
};

} // namespace fovea
