#pragma once

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"
#include "child_process.hpp"

#include <string>
#include <vector>

/// How a program ended, and what it wrote.
struct program_run {
  int status;
  std::string said;

  /// Whether all that it said is one line.
  bool is_one_line() const { return said.find('\n') == said.size() - 1; }
};

inline program_run run_program(const temporary_folder& folder, const std::vector<std::string>& words) {
  const int status = child_process(words, folder / "output").wait();
  return {status, content(folder / "output")};
}
