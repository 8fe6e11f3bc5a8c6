#pragma once

#include <fovea/models/clip.hpp>

#include <filesystem>

namespace clip_program {

/// That a checkpoint's config.json tells of a CLIP of this shape. What it leaves out is as transformers' CLIPConfig
/// has it. Throws fovea::error that names the file, the entry, what was expected and what was found.
void check_config(const std::filesystem::path& file, const fovea::models::clip_config& compiled);

} // namespace clip_program
