#include <fovea/base/json/check_members.hpp>

#include <fovea/base/error.hpp>

#include <string>

namespace fovea::core {

void check_members(const nlohmann::json& value) {
  if (!value.is_structured()) return;
  if (value.is_object() && value.size() > most_members)
    throw error("expected objects of at most " + std::to_string(most_members) + " members; found one of " +
                std::to_string(value.size()));
  for (const nlohmann::json& part : value) check_members(part);
}

} // namespace fovea::core
