#pragma once

#include <string_view>

#include <fovea/backends/simd/kernels/table.hpp>

namespace fovea::core {

/// The instruction set in use, "portable", "baseline", "sse41", "avx2" or "avx512": the best that the processor
/// has, or the one that the environment variable FOVEA_ISA names; chosen at the first call. Throws fovea::error
/// where FOVEA_ISA names an unknown set or one that the processor lacks.
const char* instruction_set();

namespace simd {

/// A set by its name; null where no set has this name or the processor lacks it.
const set_sizes* set_named(std::string_view name);

/// Whether what is compiled for a set runs here, and is no better than the set in use.
bool may_run(std::string_view set);

/// A kernel of a set that set_named gives. Each kernel is linked where it is asked for.
template <kernel_name name>
const kernel_type<name>& kernel_named(std::string_view set);

/// The kernel of the set in use.
template <kernel_name name>
const kernel_type<name>& kernel_in_use() {
  return kernel_named<name>(instruction_set());
}

/// A name of a set as a template argument.
template <std::size_t n>
struct set_name {
  char text[n] = {};
  consteval set_name(const char (&name)[n]) {
    for (std::size_t i = 0; i < n; ++i) text[i] = name[i];
  }
};

/// The kernel of one set, the others not being linked.
template <kernel_name name, set_name set>
const kernel_type<name>& kernel_for();

/// The kernel of one of these sets by its name, or where none is listed of any.
template <kernel_name name, set_name... sets>
const kernel_type<name>& kernel_among(std::string_view wanted) {
  if constexpr (sizeof...(sets) == 0) {
    return kernel_named<name>(wanted);
  } else {
    const kernel_type<name>* found = nullptr;
    static_cast<void>(((wanted == sets.text && (found = &kernel_for<name, sets>(), true)) || ...));
    return *found;
  }
}

} // namespace simd
} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::instruction_set;
} // namespace fovea
