#pragma once

#include <string>

namespace fovea::programs {

/// The page at "/": where a text is gone on with, or passages are ranked by their likeness to a question. It takes
/// nothing from elsewhere.
std::string page_of(const std::string& name, bool writes);

} // namespace fovea::programs
