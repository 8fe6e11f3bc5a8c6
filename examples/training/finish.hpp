#pragma once

#include "recorder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace training {

/// Prints what a run came to, with the program's own figures, and its samples, and writes its report, which
/// shows the pictures, .svg files, too.
void finish(const run& what, const outcome& result, const facts& figures = {},
            const std::vector<std::string>& samples = {},
            const std::vector<std::filesystem::path>& pictures = {});

} // namespace training
