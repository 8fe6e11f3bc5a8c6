#pragma once

#include <ctime>
#include <string>

namespace fovea::core::jinja {

/// strftime of the C library; throws fovea::error where the format has what not every system knows.
std::string time_text(const std::string& format, const std::tm& time);

} // namespace fovea::core::jinja
