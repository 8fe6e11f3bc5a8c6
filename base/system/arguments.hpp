#pragma once

#include <string>
#include <vector>

namespace fovea::core::system {

/// What this process was called with, its own name first, in UTF-8; `count` and `words` are what its main got.
std::vector<std::string> arguments(int count, char** words);

} // namespace fovea::core::system
