#pragma once

#include <fovea/backends/simd/sets/avx512.hpp>

namespace fovea::core::simd {

/// On processors of Intel with a first-level cache of twelve ways.
struct avx512_12_ways : avx512 {
  static constexpr size_t cache_ways = 12;
};

} // namespace fovea::core::simd
