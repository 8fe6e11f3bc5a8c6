#pragma once

#include <program/command_line.hpp>

namespace tool {

/// fovea inspect FILE: what a weight file, a tokenizer or a folder of Hugging Face holds.
void declare_inspect(CLI::App& app, int& status);

} // namespace tool
