#include <fovea/base/system/processors.hpp>

namespace fovea::core::system {

// As many as a thread of the program's own can start on: none but its own.
std::size_t usable_processors() noexcept { return 1; }

int this_processor() noexcept { return -1; }

void keep_off(int, std::span<thread>, std::size_t) noexcept {}

bool grant_tiles() noexcept { return false; }

long cache_ways() noexcept { return 0; }

arm_extensions extensions_of_arm() noexcept { return {}; }

} // namespace fovea::core::system
