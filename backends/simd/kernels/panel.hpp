#pragma once

#include <fovea/backends/simd/arch.hpp>

namespace fovea::core::simd {

/// Columns in a packed panel: two vectors, the width that a register block of the matrix product has.
template <class Arch>
inline constexpr size_t panel = 2 * width<Arch>;

} // namespace fovea::core::simd
