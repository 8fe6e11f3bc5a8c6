#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// How a user compiles a file: the compiler, then his flags, less those that say what becomes of the file.
struct compile_command {
  std::vector<std::string> words;
  std::filesystem::path folder; // where it is run
};

struct compile_wishes {
  std::filesystem::path build;    // a folder with compile_commands.json; empty: none is named
  std::string compiler;           // empty: the project's, else $CXX, else c++
  std::vector<std::string> flags; // instead of the project's
};

/// From the flags that are wished for; else from compile_commands.json of the build folder, or of the nearest
/// folder above the file that has one or whose build/ does; else C++20 and the headers beside this program. A
/// file that the project does not list, as a header, is compiled as the listed one whose path is most like
/// it. Throws failure.
compile_command command_for(const std::filesystem::path& file, const compile_wishes& wishes);

/// The folder of this program and each above it, where what was installed or built with it is looked for.
std::vector<std::filesystem::path> folders_above_this_program();

} // namespace tool
