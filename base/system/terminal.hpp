#pragma once

#include <cstddef>
#include <cstdio>

namespace fovea::core::system {

/// Whether someone looks at what is written here, or types what is read.
bool is_terminal(std::FILE* stream) noexcept;

/// Characters in a line of a terminal; 0 where it doesn't say.
std::size_t columns_of(std::FILE* stream) noexcept;

/// Has the terminal show as UTF-8 what this process writes.
void show_utf8() noexcept;

} // namespace fovea::core::system
