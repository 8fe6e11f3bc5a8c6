#pragma once

#include <cstddef>

#include <fovea/backends/simd/kernel_choice.hpp>
#include <fovea/backends/simd/scan_code.hpp>
#include <fovea/backends/simd/step_kernels.hpp>

namespace fovea::core::simd {

/// The kernels that the steps of a model call: one for products, that of any weights where some are large. A
/// scan that is one function calls none, but what it multiplies by is packed with all other weights.
template <class model>
consteval kernel_names kernels_of_model() {
  const plan_view plan{model::schedule};
  kernel_names found;
  int end = 0; // of the scan
  for (int k = 0; k < plan.step_count; ++k) {
    if (small_scans<model>[static_cast<std::size_t>(k)]) end = plan.steps[k].first;
    const kernel_names called = kernels_of(model::view, plan, plan.steps[k]);
    if (k >= end)
      found |= called;
    else if (called.has(kernel_name::pack))
      found |= kernel_name::pack;
  }
  return found.has(kernel_name::product) ? found.without(kernel_name::small_product) : found;
}

/// Where they come from.
template <class model, set_name set>
inline constexpr kernel_choice chosen_kernels = choose_kernels<kernels_of_model<model>(), set>();

} // namespace fovea::core::simd
