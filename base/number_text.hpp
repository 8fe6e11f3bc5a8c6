#pragma once

#include <string>

namespace fovea::core {

/// A number in a sentence: six digits, and an exponent where those do not hold it.
std::string number_text(double number);

} // namespace fovea::core
