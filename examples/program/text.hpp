#pragma once

#include <string>
#include <vector>

namespace program {

/// The lines of a UTF-8 text; "-" is the standard input. Throws fovea::error that names the file, and the
/// line that is not UTF-8.
std::vector<std::string> lines_of(const std::string& file);

/// Writes to the standard output. Throws std::runtime_error where that does not take it.
void print(const std::string& text);

/// Writes "name: text" to the standard error: one line, whatever the text holds.
void notice(const std::string& name, const std::string& text);

} // namespace program
