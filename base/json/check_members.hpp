#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>

namespace fovea::core {

/// How many members an object may have where they keep their order: what reads or looks for one goes through all others.
constexpr std::size_t most_members = 5000;

/// Throws fovea::error where an object has more, or one within.
void check_members(const nlohmann::json& value);

} // namespace fovea::core
