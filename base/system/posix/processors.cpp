#include <fovea/base/system/processors.hpp>

#include <algorithm>

#include <unistd.h>
#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#endif
#ifdef __APPLE__
#include <sys/sysctl.h>
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

void keep_off(int processor, std::span<thread> threads, std::size_t threads_in_all) noexcept {
  cpu_set_t others;
  if (sched_getaffinity(0, sizeof others, &others) != 0) return;
  if (static_cast<std::size_t>(CPU_COUNT(&others)) < threads_in_all) return;
  CPU_CLR(static_cast<std::size_t>(processor), &others);
  for (thread& one : threads) pthread_setaffinity_np(one.native_handle(), sizeof others, &others);
}

#else

int this_processor() noexcept { return -1; }

void keep_off(int, std::span<thread>, std::size_t) noexcept {}

#endif

void sleep_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept { value.wait(old); }
void wake_one(std::atomic<std::uint32_t>& value) noexcept { value.notify_one(); }
void wake_all(std::atomic<std::uint32_t>& value) noexcept { value.notify_all(); }

bool grant_tiles() noexcept {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long request_permission = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

long cache_ways() noexcept {
#ifdef _SC_LEVEL1_DCACHE_ASSOC
  return std::max(0L, ::sysconf(_SC_LEVEL1_DCACHE_ASSOC));
#else
  return 0;
#endif
}

arm_extensions extensions_of_arm() noexcept {
#if defined(__linux__) && defined(__aarch64__)
  const unsigned long more = ::getauxval(AT_HWCAP2);
  return {(::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0, (more & HWCAP2_I8MM) != 0, (more & HWCAP2_BF16) != 0};
#elif defined(__APPLE__)
  const auto has = [](const char* name) {
    int value = 0;
    std::size_t size = sizeof value;
    return ::sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
  };
  return {has("hw.optional.arm.FEAT_DotProd"), has("hw.optional.arm.FEAT_I8MM"),
          has("hw.optional.arm.FEAT_BF16")};
#else
  return {};
#endif
}

} // namespace fovea::core::system
