#pragma once

#include <atomic>

namespace fovea::core::simd {

/// Whether someone reads how long steps take (step_times.hpp).
extern std::atomic<bool> times_wanted;

} // namespace fovea::core::simd
