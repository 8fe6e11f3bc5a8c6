#pragma once

#include <program/command_line.hpp>

namespace tool {

/// fovea convert IN OUT --format F: weights of any format as one file, to be converted once and not at each
/// start.
void declare_convert(CLI::App& app, int& status);

} // namespace tool
