#pragma once

#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/kernels/attention_tasks.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

namespace fovea::core::simd {

/// Whether an attention of so many queries is by integers: its scores and mask are no lambdas, which have code of their
/// own, and the model's format and set have the kernel.
inline bool rounds_attention(const kernel_table& kernels, const generated_step& own, size_t queries) {
  return own.attention == nullptr && kernels.rounded_attention != nullptr && detail::rounds(queries);
}

} // namespace fovea::core::simd
