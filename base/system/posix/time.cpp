#include <fovea/base/system/time.hpp>

namespace fovea::core::system {

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm made{};
  ::localtime_r(&now, &made);
  return made;
}

} // namespace fovea::core::system
