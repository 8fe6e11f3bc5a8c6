#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

namespace tool {

/// What stands for infinity in settings.
constexpr const char* infinity_text = "Infinity";

/// The JSON of a config.json. Python writes Infinity and NaN as no JSON has them: here they are texts, as the objects are that
/// newer files have in their place. Throws fovea::error that names the file where it is malformed.
nlohmann::json load_config_json(const std::filesystem::path& path);

} // namespace tool
