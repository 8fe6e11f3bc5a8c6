#pragma once

#include <fovea/runtime/describe/profile.hpp>

namespace fovea::programs {

/// Measures what a program's nets do, and prints it on the standard error at the end of its life, unless an error ends it.
class profile_at_end {
public:
  profile_at_end() = default;
  profile_at_end(const profile_at_end&) = delete;
  profile_at_end& operator=(const profile_at_end&) = delete;
  ~profile_at_end();

private:
  profile measured_;
};

} // namespace fovea::programs
