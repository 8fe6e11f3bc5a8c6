#include <fovea/programs/profile_at_end.hpp>

#include <exception>
#include <iostream>

namespace fovea::programs {

profile_at_end::~profile_at_end() {
  if (std::uncaught_exceptions() > 0) return;
  try {
    measured_.print(std::cerr);
  } catch (const std::exception&) { // no memory: the program's work is done
  }
}

} // namespace fovea::programs
