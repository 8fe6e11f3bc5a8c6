#pragma once

#include <cstddef>
#include <span>
#include <thread>

namespace fovea::core::system {

/// Processors that this thread may run on.
std::size_t usable_processors() noexcept;

/// The processor on which this thread runs; negative where the system doesn't say.
int this_processor() noexcept;

/// Keeps threads on the other processors that this thread may run on, where `threads_in_all` or more may be used and the system
/// knows such a wish.
void keep_off(int processor, std::span<std::thread> threads, std::size_t threads_in_all) noexcept;

/// Tells the processor that this thread waits for a value of another.
inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace fovea::core::system
