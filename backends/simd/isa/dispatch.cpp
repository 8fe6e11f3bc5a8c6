#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/backends/simd/isa/sets_here.hpp>

#include "sets.hpp" // made by cmake/fovea_kernels.cmake: FOVEA_SETS, from best to least, and FOVEA_SUPPORTS_*
#include "symbols.hpp"
#include <cstdlib>
#include <fovea/base/error.hpp>
#include <string>

namespace fovea::core::simd {

extern "C" {
#define FOVEA_DECLARE(set, name, type) extern const type FOVEA_SYMBOL(name, set) FOVEA_LINKED_##set;
#define FOVEA_DECLARE_ALL(name, type) FOVEA_SETS(FOVEA_DECLARE, name, type)
FOVEA_KERNELS(FOVEA_DECLARE_ALL)
FOVEA_DECLARE_ALL(sizes, set_sizes)
}

namespace {

/// What stands for a kernel of a set on this processor; other headers have better ones for some.
template <kernel_name name, set_name set>
const kernel_type<name>& best(const kernel_type<name>& plain) {
  return plain;
}

} // namespace
} // namespace fovea::core::simd

#if defined(FOVEA_SUPPORTS_avx512)
#include "better_avx512.hpp"
#endif
#if defined(FOVEA_SUPPORTS_avx2)
#include "better_avx2.hpp"
#endif
#if defined(FOVEA_SUPPORTS_neon64)
#include "better_neon64.hpp"
#endif

namespace fovea::core::simd {
namespace {

struct set_entry {
  const set_sizes* sizes; // null where the program does not link it
  bool (*supported)();
};

// From best to least.
#define FOVEA_ENTRY(set, ...) {&FOVEA_SYMBOL(sizes, set), [] { return FOVEA_SUPPORTS_##set; }},
constexpr set_entry sets[] = {FOVEA_SETS(FOVEA_ENTRY, )};

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

/// Whether what a processor has beside a set is used: FOVEA_PLAIN=1 leaves it.
bool takes_better() {
  static const bool takes = [] {
    const char* plain = std::getenv("FOVEA_PLAIN");
    return plain == nullptr || *plain == 0 || std::string(plain) == "0";
  }();
  return takes;
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
    const type& plain = FOVEA_SYMBOL(name, set);                                                             \
    return takes_better() ? best<kernel_name::name, #set>(plain) : plain;                                    \
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
