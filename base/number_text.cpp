#include <fovea/base/number_text.hpp>

#include <algorithm>
#include <cstdio>

namespace fovea::core {

std::string number_text(double number) {
  char text[32];
  const int size = std::snprintf(text, sizeof text, "%g", number);
  std::replace(text, text + size, ',', '.'); // the sign of some languages, which a program may have set
  return {text, static_cast<std::size_t>(size)};
}

} // namespace fovea::core
