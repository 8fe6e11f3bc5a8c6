#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tool {

/// The name that the fewest changed, added and left out letters part from what was written; empty where more than half of
/// its letters would be others.
std::string nearest_name(std::string_view written, std::span<const std::string> names);

} // namespace tool
