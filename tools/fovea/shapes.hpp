#pragma once

#include <program/command_line.hpp>

namespace tool {

/// fovea shapes FILE: the shape of each expression of each model in a C++ file. `status` becomes 1 where a
/// model is ill-formed, else 0; what cannot be answered is thrown as a failure.
void declare_shapes(CLI::App& app, int& status);

} // namespace tool
