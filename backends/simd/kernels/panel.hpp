#pragma once

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>

namespace fovea::core::simd {

/// Columns in a packed panel: two vectors, the width that a register block of the matrix product has.
template <class Arch>
inline constexpr size_t panel = 2 * width<Arch>;

/// Those of a convolution, in one group: tasks that begin with the same windows.
template <class Arch>
size_t convolution_panels(const convolution_args& a) {
  return detail::ceil_div(a.columns, panel<Arch>);
}

} // namespace fovea::core::simd
