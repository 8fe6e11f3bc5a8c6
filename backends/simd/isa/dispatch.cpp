#include <fovea/backends/simd/isa/dispatch.hpp>

#include "tables.hpp"
#include <cstdlib>
#include <fovea/base/error.hpp>
#include <string>
#include <string_view>
#if defined(__linux__) && defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace fovea::core::simd {
namespace {

struct instruction_set_entry {
  std::string_view name;
  const kernel_table& (*table)();
  bool (*supported)();
};

#if defined(__x86_64__) || defined(__i386__)
/// Whether the processor has AMX for bytes and bfloat16, and the system grants its registers, which programs
/// must ask for.
bool may_use_tiles() {
#if defined(__linux__) && defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bf16 = 1u << 22, tile = 1u << 24, int8 = 1u << 25, all = bf16 | tile | int8;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & all) != all) return false;
  constexpr long request_permission = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

/// Whether the first-level data cache has twelve ways or more, on processors of Intel.
bool has_wide_cache() {
#if defined(__x86_64__) && defined(_SC_LEVEL1_DCACHE_ASSOC)
  return __builtin_cpu_is("intel") && sysconf(_SC_LEVEL1_DCACHE_ASSOC) >= 12;
#else
  return false;
#endif
}

const kernel_table& avx512_kernels() {
  static const kernel_table best = [] {
    kernel_table made = fovea_kernels_avx512;
    if (has_wide_cache()) {
      const product_kernels& wide = fovea_product_kernels_avx512_12_ways;
      made.product_tasks = wide.tasks, made.product = wide.product;
    }
    if (__builtin_cpu_supports("avx512vnni")) made.integer_product = fovea_integer_product_avx512_vnni;
    if (__builtin_cpu_supports("avx512bf16")) made.bf16_product = fovea_bf16_product_avx512_bf16;
    if (__builtin_cpu_supports("avx512bf16") && may_use_tiles()) made.tiles = &fovea_tile_kernels_avx512_amx;
    return made;
  }();
  return best;
}
#endif

// From best to least. The builtin asks the processor and the operating system (saved registers).
constexpr instruction_set_entry sets[] = {
#if defined(__x86_64__) || defined(__i386__)
    {"avx512", avx512_kernels,
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
     }},
    {"avx2", []() -> const kernel_table& { return fovea_kernels_avx2; },
     [] {
       return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("f16c");
     }},
    {"baseline", []() -> const kernel_table& { return fovea_kernels_baseline; }, [] { return true; }},
#endif
    {"portable", []() -> const kernel_table& { return fovea_kernels_portable; }, [] { return true; }},
};

const kernel_table& choose() {
  if (const char* wanted = std::getenv("FOVEA_ISA"); wanted && *wanted) {
    if (const kernel_table* table = table_for(wanted)) return *table;
    std::string known, usable;
    bool exists = false;
    for (const auto& set : sets) {
      exists = exists || set.name == wanted;
      known += (known.empty() ? "" : ", ") + std::string(set.name);
      if (set.supported()) usable += (usable.empty() ? "" : ", ") + std::string(set.name);
    }
    throw error(exists ? "FOVEA_ISA: this processor lacks '" + std::string(wanted) + "'; it has " + usable
                       : "FOVEA_ISA: expected one of " + known + ", found '" + wanted + "'");
  }
  for (const auto& set : sets)
    if (set.supported()) return set.table();
  return fovea_kernels_portable;
}

} // namespace

const kernel_table* table_for(const char* name) {
  for (const auto& set : sets)
    if (set.name == name) return set.supported() ? &set.table() : nullptr;
  return nullptr;
}

const kernel_table& kernels() {
  static const kernel_table& chosen = choose();
  return chosen;
}

} // namespace fovea::core::simd

const char* fovea::core::instruction_set() { return simd::kernels().instruction_set; }
