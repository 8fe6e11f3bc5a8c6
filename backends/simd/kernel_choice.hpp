#pragma once

#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/isa/dispatch.hpp>

namespace fovea::core::simd {

/// Where the kernels of a model come from: a function for each that it needs, else null.
struct kernel_choice {
  const char* set = nullptr; // that they are of; null for the set in use
#define FOVEA_MEMBER(name, type) const type& (*name)() = nullptr;
  FOVEA_KERNELS(FOVEA_MEMBER)
#undef FOVEA_MEMBER
};

/// The kernels that are needed, of one set: the program links no other. An empty name is that of the set in
/// use.
template <kernel_names needed, set_name set>
constexpr kernel_choice choose_kernels() {
  constexpr bool in_use = set.text[0] == 0;
  kernel_choice made{.set = in_use ? nullptr : set.text};
#define FOVEA_CHOOSE(name, type)                                                                             \
  if constexpr (needed.has(kernel_name::name)) {                                                             \
    if constexpr (in_use)                                                                                    \
      made.name = kernel_in_use<kernel_name::name>;                                                          \
    else                                                                                                     \
      made.name = kernel_for<kernel_name::name, set>;                                                        \
  }
  FOVEA_KERNELS(FOVEA_CHOOSE)
#undef FOVEA_CHOOSE
  return made;
}

/// The kernels of a model. Throws fovea::error where they are of a set that the processor lacks.
kernel_table kernels_of(const model_code& code);

} // namespace fovea::core::simd
