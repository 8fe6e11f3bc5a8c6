#pragma once

#include <string>
#include <string_view>

namespace fovea::programs {

/// UTF-8 without the white space at its ends.
std::string trimmed(std::string_view text);

} // namespace fovea::programs
