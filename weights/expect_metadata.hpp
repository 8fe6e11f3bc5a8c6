#pragma once

#include <fovea/weights/weights.hpp>

#include <map>
#include <string>

namespace fovea::core {

/// Checks what shapes do not tell (numbers of heads, the base of rotary positions) where a checkpoint says
/// it: throws fovea::error when its metadata has one of the keys with another number, and names both. Keys
/// that it does not have are passed over, so that those of several formats can stand together.
void expect_metadata(const model_weights& from, const std::map<std::string, double>& expected);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::expect_metadata;
} // namespace fovea
