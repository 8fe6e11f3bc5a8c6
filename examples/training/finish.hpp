#pragma once

#include "recorder.hpp"

#include <string>
#include <vector>

namespace training {

/// Prints what a run came to, with the program's own figures, and its samples, and writes its report.
void finish(const run& what, const outcome& result, const facts& figures = {},
            const std::vector<std::string>& samples = {});

} // namespace training
