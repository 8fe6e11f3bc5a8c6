#include "system.hpp"

#include <cstdlib>
#include <limits>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // which macOS declares nowhere

namespace fovea::core::test {

std::size_t page() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

unsigned char* take_guarded_pages(std::size_t bytes) {
  const std::size_t all = bytes + 2 * page();
  void* const first = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (first == MAP_FAILED) return nullptr;
  auto* const pages = static_cast<unsigned char*>(first) + page();
  if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) == 0) return pages;
  munmap(first, all);
  return nullptr;
}

void give_back_guarded_pages(unsigned char* pages, std::size_t bytes) noexcept {
  munmap(pages - page(), bytes + 2 * page());
}

std::vector<irregular_file> irregular_files(const std::filesystem::path& folder) {
  const std::filesystem::path pipe = folder / "pipe";
  if (mkfifo(pipe.c_str(), 0600) != 0) throw std::runtime_error("cannot create a pipe");
  return {{pipe, "a pipe"}, {"/dev/zero", "a device"}, {folder, "a folder"}};
}

int run_program(const std::vector<std::string>& words, const std::filesystem::path& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t to_file;
  ::posix_spawn_file_actions_init(&to_file);
  ::posix_spawn_file_actions_addopen(&to_file, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  ::posix_spawn_file_actions_adddup2(&to_file, STDOUT_FILENO, STDERR_FILENO);
  pid_t id = 0;
  const int problem = ::posix_spawn(&id, arguments[0], &to_file, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&to_file);
  if (problem != 0) throw std::runtime_error("cannot start " + words.front());
  int state = 0;
  ::waitpid(id, &state, 0);
  return WIFSIGNALED(state) ? -WTERMSIG(state) : WEXITSTATUS(state);
}

void set_variable(const char* name, const std::string& value) {
  value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
}

double greatest_angle() { return std::numeric_limits<double>::infinity(); }

} // namespace fovea::core::test
