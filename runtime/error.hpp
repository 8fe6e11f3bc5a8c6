#pragma once

#include <stdexcept>

namespace fovea {

/// Every failure at run time: one sentence that names the file, tensor, input or line, what was expected, and
/// what was found. Thrown before anything is changed.
class error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace fovea
