#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace program {

enum class encoding : std::uint8_t { utf_8, windows_1252 };

/// The lines of a text, as UTF-8; "-" is the standard input. Throws fovea::error that names the file, and the
/// line that is not of its encoding.
std::vector<std::string> lines_of(const std::string& file, encoding from = encoding::utf_8);

/// Windows-1252 as UTF-8. Throws fovea::error that names the first byte that stands for no character.
std::string utf8_of_windows_1252(const std::string& bytes);

/// Writes to the standard output. Throws std::runtime_error where that does not take it.
void print(const std::string& text);

/// Writes "name: text" to the standard error: one line, whatever the text holds.
void notice(const std::string& name, const std::string& text);

} // namespace program
