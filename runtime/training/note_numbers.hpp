#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fovea::core {

/// A number as text that gives the same number back, whatever the locale.
std::string exact_text(double number);

/// What `exact_text` or std::to_string wrote; none where a text is anything else.
std::optional<double> exact_number(std::string_view text);

/// The number of a checkpoint's note. Throws fovea::error, which begins with `where`, if the note is missing,
/// is no number, or does not lie from `least` to `most`.
double number_in_note(const std::map<std::string, std::string>& notes, const std::string& name,
                      const std::string& where, double least, double most);

} // namespace fovea::core
