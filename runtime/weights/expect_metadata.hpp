#pragma once

#include <fovea/runtime/weights/weights.hpp>

#include <map>
#include <string>

namespace fovea {

/// Checks what shapes do not tell (numbers of heads, the base of rotary positions) where a checkpoint says
/// it: throws fovea::error when its metadata has one of the keys with another number, and names both. Keys
/// that it does not have are passed over, so that those of several formats can stand together.
void expect_metadata(const weights& from, const std::map<std::string, double>& expected);

} // namespace fovea
