#include "process.hpp"

#include "failure.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace tool {

namespace {

constexpr int cannot_run = 127;

volatile std::sig_atomic_t interrupted = 0;

/// A signal ends the compiler, which is in the same group; this program then removes what it made.
void outlive_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

/// Becomes the program; only functions that are safe after fork.
[[noreturn]] void become(char* const* words, const char* folder, int errors) {
  dup2(errors, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  if (chdir(folder) == 0) execvp(words[0], words);
  _exit(cannot_run);
}

} // namespace

finished_process run(const std::vector<std::string>& command, const std::filesystem::path& folder) {
  std::vector<std::string> kept = command;
  std::vector<char*> words;
  for (std::string& word : kept) words.push_back(word.data());
  words.push_back(nullptr);
  outlive_signals();
  setenv("LC_ALL", "C", 1); // errors are read in English

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw failure(std::string("cannot run a program: ") + std::strerror(errno));
  const pid_t child = fork();
  if (child < 0) throw failure(std::string("cannot run a program: ") + std::strerror(errno));
  if (child == 0) become(words.data(), folder.c_str(), ends[1]);
  close(ends[1]);

  finished_process done;
  std::array<char, 4096> piece;
  for (ssize_t size; (size = read(ends[0], piece.data(), piece.size())) != 0;) {
    if (size > 0)
      done.errors.append(piece.data(), static_cast<std::size_t>(size));
    else if (errno != EINTR)
      break;
  }
  close(ends[0]);
  int how = 0;
  while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
  }
  if (interrupted != 0) throw failure("interrupted");
  done.status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  if (done.status == cannot_run && done.errors.empty())
    throw failure("the compiler " + command.front() + " cannot be run");
  return done;
}

temporary_folder::temporary_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "fovea-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw failure("cannot make a temporary folder: " + std::string(std::strerror(errno)));
  path_ = name;
}
temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace tool
