#include "golden_formula.hpp"

#include <algorithm>
#include <cmath>

namespace fovea::core::test {

golden_tensor formula_tensor(const std::string& name, const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (std::size_t d : shape) size *= d;
  golden_tensor made{shape, std::vector<double>(size), false};
  if (shape.size() < 2) {
    std::fill(made.values.begin(), made.values.end(), name.ends_with("bias") ? 0.0 : 1.0);
    return made;
  }
  const bool embeds = name.find("embed") != std::string::npos || name.find("wte") != std::string::npos ||
                      name.find("wpe") != std::string::npos;
  const double a = embeds ? 0.02 : 1 / std::sqrt(static_cast<double>(size / shape[0]));
  const std::uint64_t seed = fnv1a64(name);
  for (std::size_t i = 0; i < size; ++i) {
    const double u = static_cast<double>(splitmix64(seed + i) >> 40) / 16777216.0;
    made.values[i] = static_cast<double>(static_cast<float>((u - 0.5) * 2 * a));
  }
  return made;
}

} // namespace fovea::core::test
