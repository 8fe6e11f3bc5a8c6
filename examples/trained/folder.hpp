#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <initializer_list>
#include <string>

namespace trained {

/// Throws fovea::error that names the file where it cannot be read or is not JSON.
nlohmann::json read_json(const std::filesystem::path& file);

/// Writes it; the file is whole or what it was before. Throws fovea::error that names the file where the disk
/// refuses.
void write_json(const std::filesystem::path& file, const nlohmann::json& value);

/// That a folder holds weights.safetensors, sizes.json and these files, as the program's train.py writes
/// them, and that the weights have the sizes that the program is compiled for. Throws fovea::error that says
/// which file is missing, or which size differs.
void check_folder(const std::filesystem::path& folder, const nlohmann::json& compiled,
                  std::initializer_list<const char*> files);

} // namespace trained
