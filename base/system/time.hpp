#pragma once

#include <ctime>

namespace fovea::core::system {

/// What the clocks of this place show.
std::tm local_time();

} // namespace fovea::core::system
