#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/// A program that runs beside the test, its output and errors in a file; killed where it outlives this.
class child_process {
public:
  /// Who is `followed` stands at each system call until follow() lets it go on. Its leaks are not looked for:
  /// that is done by following it, too.
  enum class kind { free, followed };

  child_process(const std::vector<std::string>& words, const std::filesystem::path& output,
                kind how = kind::free) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    id_ = ::fork();
    if (id_ < 0) throw std::runtime_error("cannot fork");
    if (id_ > 0) return;
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    if (how == kind::followed) {
      ::setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    }
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~child_process() {
    if (is_running()) end(SIGKILL), wait();
  }
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  void end(int signal) const { ::kill(id_, signal); }
  bool is_running() {
    if (!status_) collect(WNOHANG);
    return !status_;
  }
  /// The exit status, or minus the signal that ended it.
  int wait() {
    while (!status_) collect(0);
    return *status_;
  }
  /// Lets it enter and leave system calls, so many times in all, and returns how many it did before it ended;
  /// where it did not end, it stands at the next.
  std::size_t follow(std::size_t count) {
    for (std::size_t done = 0;; ++done) {
      const int signal = collect(0);
      if (status_ || done == count) return done;
      ::ptrace(PTRACE_SYSCALL, id_, nullptr, signal == SIGTRAP ? 0 : signal);
    }
  }

private:
  /// Takes the next that the system tells of it: its end, or the signal at which a followed one stands.
  int collect(int options) {
    int state = 0;
    if (::waitpid(id_, &state, options) != id_) return 0;
    if (WIFSTOPPED(state)) return WSTOPSIG(state);
    status_ = WIFSIGNALED(state) ? -WTERMSIG(state) : WEXITSTATUS(state);
    return 0;
  }

  pid_t id_;
  std::optional<int> status_;
};
