#include <fovea/base/system/processors.hpp>

#include <algorithm>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace fovea::core::system {

std::size_t usable_processors() noexcept {
#ifdef __linux__
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return static_cast<std::size_t>(CPU_COUNT(&usable));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

#ifdef __linux__

int this_processor() noexcept { return sched_getcpu(); }

void keep_off(int processor, std::span<std::thread> threads, std::size_t threads_in_all) noexcept {
  cpu_set_t others;
  if (sched_getaffinity(0, sizeof others, &others) != 0) return;
  if (static_cast<std::size_t>(CPU_COUNT(&others)) < threads_in_all) return;
  CPU_CLR(static_cast<std::size_t>(processor), &others);
  for (std::thread& thread : threads) pthread_setaffinity_np(thread.native_handle(), sizeof others, &others);
}

#else

int this_processor() noexcept { return -1; }

void keep_off(int, std::span<std::thread>, std::size_t) noexcept {}

#endif

} // namespace fovea::core::system
