#include <fovea/base/system/processors.hpp>

#include <algorithm>
#include <bit>

#include <pthread.h>
#include <windows.h>

namespace fovea::core::system {
namespace {

/// A bit for each processor that this process may run on; none where the system doesn't say, as with more than 64.
DWORD_PTR allowed() noexcept {
  DWORD_PTR process = 0, all = 0;
  return ::GetProcessAffinityMask(::GetCurrentProcess(), &process, &all) != 0 ? process : 0;
}

} // namespace

std::size_t usable_processors() noexcept {
  if (const DWORD_PTR usable = allowed(); usable != 0) return static_cast<std::size_t>(std::popcount(usable));
  return std::max(1u, std::thread::hardware_concurrency());
}

int this_processor() noexcept { return static_cast<int>(::GetCurrentProcessorNumber()); }

void keep_off(int processor, std::span<thread> threads, std::size_t threads_in_all) noexcept {
  const DWORD_PTR usable = allowed();
  if (usable == 0 || static_cast<std::size_t>(std::popcount(usable)) < threads_in_all) return;
  const DWORD_PTR others = usable & ~(DWORD_PTR{1} << processor);
  for (thread& one : threads)
    ::SetThreadAffinityMask(static_cast<HANDLE>(::pthread_gethandle(one.native_handle())), others);
}

// Where there is no futex, std::atomic::wait of libstdc++ 12 misses a call to wake between its look at the value and its sleep.
void sleep_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept {
  while (value.load() == old)
    ::WaitOnAddress(const_cast<std::atomic<std::uint32_t>*>(&value), &old, sizeof old, INFINITE);
}
void wake_one(std::atomic<std::uint32_t>& value) noexcept { ::WakeByAddressSingle(&value); }
void wake_all(std::atomic<std::uint32_t>& value) noexcept { ::WakeByAddressAll(&value); }

bool grant_tiles() noexcept { return false; }

long cache_ways() noexcept { return 0; }

arm_extensions extensions_of_arm() noexcept { return {}; }

} // namespace fovea::core::system
