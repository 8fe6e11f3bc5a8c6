#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace fovea::core {

/// The code points of valid UTF-8, decomposed canonically or by compatibility, with marks in canonical order
/// (Unicode standard annex 15). utf8proc's own ordering takes the square of a run of marks.
std::vector<std::int32_t> decomposed(std::string_view text, bool compatible);

} // namespace fovea::core
