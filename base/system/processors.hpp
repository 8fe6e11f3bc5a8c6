#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fovea/base/system/thread.hpp>

namespace fovea::core::system {

/// Processors that this thread may run on.
std::size_t usable_processors() noexcept;

/// The processor on which this thread runs; negative where the system doesn't say.
int this_processor() noexcept;

/// Keeps threads on the other processors that this thread may run on, where `threads_in_all` or more may be used and the system
/// knows such a wish.
void keep_off(int processor, std::span<thread> threads, std::size_t threads_in_all) noexcept;

/// Sleeps while a value is `old`, until another thread has changed it and wakes who sleeps on it.
void sleep_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept;
void wake_one(std::atomic<std::uint32_t>& value) noexcept;
void wake_all(std::atomic<std::uint32_t>& value) noexcept;

/// Asks the system for the registers of AMX, which a program must; false where it gives none.
bool grant_tiles() noexcept;

/// Ways of the first-level data cache; 0 where the system doesn't say.
long cache_ways() noexcept;

/// What some processors of 64-bit ARM have: sums of products of bytes, also of two rows at once, and of bfloat16.
struct arm_extensions {
  bool dot_products = false, two_rows = false, bf16 = false;
};
arm_extensions extensions_of_arm() noexcept;

/// Tells the processor that this thread waits for a value of another.
inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace fovea::core::system
