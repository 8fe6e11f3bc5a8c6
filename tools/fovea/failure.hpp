#pragma once

#include <stdexcept>

namespace tool {

/// What ends a command with one sentence on the standard error, and the exit status 2.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace tool
