#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fovea::programs {

/// The page at "/": where a text is gone on with, or passages are ranked by their likeness to a question, and the
/// attention of a text is drawn, of layers of so many `heads`. It takes nothing from elsewhere.
std::string page_of(const std::string& name, bool writes, std::span<const std::size_t> heads);

} // namespace fovea::programs
