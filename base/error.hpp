#pragma once

#include <stdexcept>

namespace fovea::core {

/// Every failure at run time: one sentence that names the file, tensor, input or line, what was expected, and
/// what was found. Thrown before anything is changed.
///
/// Where memory runs out, what reads a file or makes a model throws it too, and says for what; what saves,
/// and what is called, throws std::bad_alloc, and is then as if it had not been called.
class error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::error;
} // namespace fovea
