#pragma once

#include <program/command_line.hpp>

namespace tool {

/// fovea new DIR --from CHECKPOINT: a project around a model that others trained.
void declare_new(CLI::App& app, int& status);

} // namespace tool
