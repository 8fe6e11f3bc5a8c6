#pragma once

#include "../file_content.hpp"
#include "../system/system.hpp"
#include "../weights/temporary_folder.hpp"

#include <string>
#include <vector>

/// How a program ended, and what it wrote.
struct program_run {
  int status;
  std::string said;

  /// Whether all that it said is one line.
  bool is_one_line() const { return said.find('\n') == said.size() - 1; }
};

/// A variable of the environment of the programs that run in its life.
class program_variable {
public:
  program_variable(const char* name, const std::string& value) : name_(name) {
    fovea::core::test::set_variable(name, value);
  }
  program_variable(const program_variable&) = delete;
  program_variable& operator=(const program_variable&) = delete;
  ~program_variable() { fovea::core::test::set_variable(name_, ""); }

private:
  const char* name_;
};

inline program_run run_program(const temporary_folder& folder, const std::vector<std::string>& words) {
  const int status = fovea::core::test::run_program(words, folder / "output");
  return {status, content(folder / "output")};
}
