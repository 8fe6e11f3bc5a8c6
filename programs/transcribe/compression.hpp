#pragma once

#include <string>

namespace fovea::programs {

/// How many times shorter zlib makes a text: more than about 2.4 where it says the same again and again.
double compression_of(const std::string& text);

} // namespace fovea::programs
