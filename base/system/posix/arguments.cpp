#include <fovea/base/system/arguments.hpp>

namespace fovea::core::system {

std::vector<std::string> arguments(int count, char** words) { return {words, words + count}; }

} // namespace fovea::core::system
