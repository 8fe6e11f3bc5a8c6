#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

// What tests ask of the system beside base/system: each has its own file here.
namespace fovea::core::test {

/// Bytes of a page of memory.
std::size_t page();

/// So many bytes, whole pages, between two pages that nobody may touch; null where there are none.
unsigned char* take_guarded_pages(std::size_t bytes);
void give_back_guarded_pages(unsigned char* pages, std::size_t bytes) noexcept;

/// What is no regular file, and what a message calls it.
struct irregular_file {
  std::filesystem::path path;
  std::string kind;
};
/// One of each kind that the system has, made in the folder or there anyhow.
std::vector<irregular_file> irregular_files(const std::filesystem::path& folder);

/// Runs a program, the words its first and its arguments, with what it writes in a file, and gives its exit status, or minus the
/// signal that ended it.
int run_program(const std::vector<std::string>& words, const std::filesystem::path& output);

/// A variable of the environment of programs that are run; without a value there is none.
void set_variable(const char* name, const std::string& value);

/// Of greater angles the sine of the C library is none to compare with.
double greatest_angle();

} // namespace fovea::core::test
