#pragma once

#include "family.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// Writes a plan as a CMake project into a folder, which is made, or is empty: model.hpp, main.cpp,
/// CMakeLists.txt, README.md, and weights.safetensors where no file of the checkpoint has all tensors. Returns
/// their names. Throws failure where the folder holds anything.
std::vector<std::string> write_project(const std::filesystem::path& folder, const model_plan& plan,
                                       const checkpoint& from);

} // namespace tool
