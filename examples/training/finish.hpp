#pragma once

#include "recorder.hpp"

#include <string>
#include <vector>

namespace training {

/// Prints what a run came to, and its samples, and writes its report. `figures` are the program's own.
void finish(const run& what, const outcome& result, facts figures = {},
            const std::vector<std::string>& samples = {});

} // namespace training
