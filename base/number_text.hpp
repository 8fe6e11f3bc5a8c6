#pragma once

#include <sstream>
#include <string>

namespace fovea::core {

/// A number in a sentence: six digits, and an exponent where those do not hold it.
inline std::string number_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

} // namespace fovea::core
