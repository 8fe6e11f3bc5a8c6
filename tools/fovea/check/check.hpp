#pragma once

#include <program/command_line.hpp>

namespace tool {

/// fovea check HEADER MODEL --weights W [--reference R]: a model's numbers against reference values, or by one
/// backend against the other. `status` becomes 1 where a value is beyond the tolerance.
void declare_check(CLI::App& app, int& status);

} // namespace tool
