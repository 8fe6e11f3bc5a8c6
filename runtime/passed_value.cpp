#include <fovea/runtime/passed_value.hpp>

namespace fovea::core::detail {

passed_value& passed_values::named(const std::string& name) {
  const int number = number_of_passed(name.c_str());
  return number < 0 ? given[name] : passed[static_cast<std::size_t>(number)];
}

} // namespace fovea::core::detail
