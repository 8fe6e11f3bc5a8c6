#pragma once

#include <filesystem>
#include <string>

namespace describe_program {

/// Draws a graph in Graphviz's language as an SVG, by its program `dot`, looked for in PATH. Throws
/// fovea::error where it is not installed or does not succeed.
void draw_svg(const std::string& graph, const std::filesystem::path& file);

} // namespace describe_program
