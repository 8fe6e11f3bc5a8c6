#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/backends/simd/isa/sets_here.hpp>

#include "sets.hpp" // made by cmake/fovea_kernels.cmake: FOVEA_SETS, from best to least, and FOVEA_SUPPORTS_*
#include "symbols.hpp"
#include <cstdlib>
#include <fovea/base/error.hpp>
#include <string>
#if defined(__linux__) && defined(FOVEA_SUPPORTS_avx512)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace fovea::core::simd {

extern "C" {
#define FOVEA_DECLARE(set, name, type) extern const type FOVEA_SYMBOL(name, set) FOVEA_LINKED_##set;
#define FOVEA_DECLARE_ALL(name, type) FOVEA_SETS(FOVEA_DECLARE, name, type)
FOVEA_KERNELS(FOVEA_DECLARE_ALL)
FOVEA_DECLARE_ALL(sizes, set_sizes)
#ifdef FOVEA_SUPPORTS_avx512
// Of some processors with avx512: products for first-level caches of twelve ways, sums of integers by AVX512_VNNI,
// of bfloat16 by AVX512_BF16, tiles by AMX_INT8, AMX_BF16 and AVX512_BF16.
extern const kernel<product_args> fovea_product_avx512_12_ways;
extern const rounding_kernel fovea_integer_product_avx512_vnni, fovea_bf16_product_avx512_bf16;
extern const tile_kernels fovea_tiles_avx512_amx;
#endif
}

namespace {

struct set_entry {
  const set_sizes* sizes; // null where the program does not link it
  bool (*supported)();
};

// From best to least.
#define FOVEA_ENTRY(set, ...) {&FOVEA_SYMBOL(sizes, set), [] { return FOVEA_SUPPORTS_##set; }},
constexpr set_entry sets[] = {FOVEA_SETS(FOVEA_ENTRY, )};

/// What stands for a kernel on this processor.
template <kernel_name name, set_name set>
const kernel_type<name>& best(const kernel_type<name>& plain) {
  return plain;
}

#ifdef FOVEA_SUPPORTS_avx512
/// Whether the processor has AMX for bytes and bfloat16, and the system grants its registers, which programs
/// must ask for.
bool may_use_tiles() {
#ifdef __linux__
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
#ifdef _SC_LEVEL1_DCACHE_ASSOC
  return __builtin_cpu_is("intel") && sysconf(_SC_LEVEL1_DCACHE_ASSOC) >= 12;
#else
  return false;
#endif
}

template <>
const kernel_type<kernel_name::product>&
best<kernel_name::product, "avx512">(const kernel<product_args>& plain) {
  static const bool wide = has_wide_cache();
  return wide ? fovea_product_avx512_12_ways : plain;
}
/// With tiles where they may be used.
rounding_kernel rounding(bool has_own, const rounding_kernel& own, const rounding_kernel& plain) {
  rounding_kernel made = has_own ? own : plain;
  if (__builtin_cpu_supports("avx512bf16") && may_use_tiles()) made.tiles = &fovea_tiles_avx512_amx;
  return made;
}
template <>
const rounding_kernel& best<kernel_name::integer_product, "avx512">(const rounding_kernel& plain) {
  static const rounding_kernel made =
      rounding(__builtin_cpu_supports("avx512vnni"), fovea_integer_product_avx512_vnni, plain);
  return made;
}
template <>
const rounding_kernel& best<kernel_name::bf16_product, "avx512">(const rounding_kernel& plain) {
  static const rounding_kernel made =
      rounding(__builtin_cpu_supports("avx512bf16"), fovea_bf16_product_avx512_bf16, plain);
  return made;
}
#endif

const set_entry& choose() {
  const char* wanted = std::getenv("FOVEA_ISA");
  const bool any = wanted == nullptr || *wanted == 0;
  std::string known, usable;
  bool exists = false;
  for (const set_entry& set : sets) {
    if (set.sizes == nullptr) continue;
    const std::string name = set.sizes->name;
    const bool supported = set.supported();
    if (supported && (any || name == wanted)) return set;
    exists = exists || (!any && name == wanted);
    known += (known.empty() ? "" : ", ") + name;
    if (supported) usable += (usable.empty() ? "" : ", ") + name;
  }
  throw error(exists ? "FOVEA_ISA: this processor lacks '" + std::string(wanted) + "'; it has " + usable
                     : "FOVEA_ISA: expected one of " + known + ", found '" + wanted + "'");
}

const set_entry& set_in_use() {
  static const set_entry& chosen = choose();
  return chosen;
}

} // namespace

std::vector<set_sizes> sets_here() {
  std::vector<set_sizes> found;
  for (const set_entry& set : sets)
    if (set.sizes != nullptr && set.supported()) found.push_back(*set.sizes);
  return found;
}

const set_sizes* set_named(std::string_view name) {
  for (const set_entry& set : sets)
    if (set.sizes != nullptr && set.sizes->name == name) return set.supported() ? set.sizes : nullptr;
  return nullptr;
}

bool may_run(std::string_view name) {
  for (const set_entry* set = &set_in_use(); set != std::end(sets); ++set)
    if (set->sizes != nullptr && set->sizes->name == name) return set->supported();
  return false;
}

#define FOVEA_FOR(set, name, type)                                                                           \
  template <>                                                                                                \
  const type& kernel_for<kernel_name::name, #set>() {                                                        \
    return best<kernel_name::name, #set>(FOVEA_SYMBOL(name, set));                                           \
  }
#define FOVEA_IF_NAMED(set, name, type)                                                                      \
  if (wanted == #set) return kernel_for<kernel_name::name, #set>();
#define FOVEA_CHOICE(name, type)                                                                             \
  FOVEA_SETS(FOVEA_FOR, name, type)                                                                          \
  template <>                                                                                                \
  const type& kernel_named<kernel_name::name>(std::string_view wanted) {                                     \
    FOVEA_SETS(FOVEA_IF_NAMED, name, type)                                                                   \
    throw error("expected an instruction set, found '" + std::string(wanted) + "'");                         \
  }
FOVEA_KERNELS(FOVEA_CHOICE)

} // namespace fovea::core::simd

const char* fovea::core::instruction_set() { return simd::set_in_use().sizes->name; }
