// What is left of a file that is saved when a system call fails or the program is killed: what it was, or
// whole.

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"
#include "faults.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/save_tokenizer.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/runtime/training/token_text.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/safetensors.hpp>
#include <fovea/weights/temporary_file.hpp>

#include <catch2/catch.hpp>

#include <csignal>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
namespace fs = std::filesystem;

namespace {

/// What writes a file, with other content for each number.
struct saver {
  const char* name;
  void (*save)(const fs::path& path, int number);
};

std::map<std::string, stored_tensor> tensors_of(const std::vector<float>& values) {
  return {{"a", {element_type::f32, {values.size()}, std::as_bytes(std::span(values))}},
          {"b", {element_type::f32, {values.size()}, std::as_bytes(std::span(values))}}};
}
std::vector<float> values_of(int number) { return std::vector<float>(2000, static_cast<float>(number)); }

const saver savers[] = {
    {"safetensors",
     [](const fs::path& path, int number) {
       const auto values = values_of(number);
       save_safetensors(path, tensors_of(values), {{"number", std::to_string(number)}});
     }},
    {"gguf",
     [](const fs::path& path, int number) {
       const auto values = values_of(number);
       save_gguf(path, tensors_of(values), {});
     }},
    {"tokens",
     [](const fs::path& path, int number) { save_tokens(path, std::vector<token_id>(5000, number)); }},
    {"tokenizer", [](const fs::path& path, int number) {
       save_tokenizer(path,
                      parse_tokenizer(R"({"model":{"type":"WordLevel","unk_token":"u","vocab":{"u":0,"t)" +
                                          std::to_string(number) + "\":1}}}",
                                      "t.json"));
     }}};

std::vector<std::string> names_in(const temporary_folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  return names;
}

/// The content of a file; nothing where there is none.
std::string content_or_nothing(const fs::path& file) { return fs::exists(file) ? content(file) : ""; }

bool has_unnamed_files(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

/// The exit status of a child that runs `work`; minus the signal that killed it.
template <class F>
int status_of_child(const F& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/// Sets a limit of this process until its end.
class lowered_limit {
public:
  lowered_limit(int which, rlim_t to) : which_(which) {
    ::getrlimit(static_cast<__rlimit_resource_t>(which_), &before_);
    const rlimit lower{to, before_.rlim_max};
    ::setrlimit(static_cast<__rlimit_resource_t>(which_), &lower);
  }
  ~lowered_limit() { ::setrlimit(static_cast<__rlimit_resource_t>(which_), &before_); }
  lowered_limit(const lowered_limit&) = delete;
  lowered_limit& operator=(const lowered_limit&) = delete;

private:
  int which_;
  rlimit before_{};
};

} // namespace

TEST_CASE("a file that is saved has no name until it is whole") {
  const temporary_folder folder;
  const bool unnamed = has_unnamed_files(folder.path());
  const auto path = folder.write("x", "older");
  const std::string text = "newer, and longer";
  {
    temporary_file file(path);
    file.write(std::as_bytes(std::span(text)));
    CHECK(names_in(folder).size() == (unnamed ? 1u : 2u));
    CHECK(content(path) == "older");
  }
  CHECK(names_in(folder) == std::vector<std::string>{"x"});
  CHECK(status_of_child([&] {
          temporary_file file(path);
          file.write(std::as_bytes(std::span(text)));
          ::raise(SIGKILL);
        }) == -SIGKILL);
  CHECK(names_in(folder).size() == (unnamed ? 1u : 2u));
  temporary_file file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
  CHECK(content(path) == text);
  CHECK(message_of<error>([] { temporary_file{""}; }) == "expected the path of a file; found an empty one");
}

TEST_CASE("each call of a save fails: the file is what it was, or whole, and nothing else is left") {
  for (const saver& s : savers)
    for (const bool named : {false, true})
      for (const bool replaces : {false, true})
        for (const fault how : {fault::fails, fault::writes_part}) {
          INFO(s.name << (named ? " by a name" : "") << (replaces ? " over an older file" : ""));
          const temporary_folder folder;
          const fs::path path = folder / "x";
          s.save(path, 2);
          const std::string newer = content(path);
          s.save(path, 1);
          const std::string older = replaces ? content(path) : "";
          CHECK(older != newer);
          for (long number = 0;; ++number) {
            INFO(number);
            if (!replaces) fs::remove(path);
            bool struck = false;
            std::string said;
            {
              const faulty_call now(how, number, named);
              said = message_of<error>([&] { s.save(path, 2); });
              struck = faulty_call::has_struck();
            }
            const std::string found = content_or_nothing(path);
            CHECK((found == older || found == newer));
            if (said.empty())
              CHECK(found == newer);
            else
              CHECK(said.starts_with(path.string() + ": cannot "));
            CHECK(names_in(folder).size() == (found.empty() ? 0u : 1u));
            if (!struck) {
              CHECK(said.empty());
              break;
            }
            if (replaces) s.save(path, 1);
          }
        }
}

TEST_CASE("a program is killed at each call of a save: the file is what it was, or whole") {
  for (const saver& s : savers)
    for (const bool named : {false, true})
      for (const bool replaces : {false, true}) {
        INFO(s.name << (named ? " by a name" : "") << (replaces ? " over an older file" : ""));
        const temporary_folder folder;
        const fs::path path = folder / "x";
        s.save(path, 2);
        const std::string newer = content(path);
        s.save(path, 1);
        const std::string older = replaces ? content(path) : "";
        const bool unnamed = !named && has_unnamed_files(folder.path());
        int left_over = 0;
        for (long number = 0;; ++number) {
          INFO(number);
          if (!replaces) fs::remove(path);
          const int status = status_of_child([&] {
            const faulty_call now(fault::kills, number, named);
            s.save(path, 2);
          });
          const std::string found = content_or_nothing(path);
          CHECK((found == older || found == newer));
          for (const std::string& name : names_in(folder)) {
            if (name == "x") continue;
            CHECK(name.ends_with(".partial"));
            fs::remove(folder / name);
            ++left_over;
          }
          if (status == 0) {
            CHECK(found == newer);
            break;
          }
          CHECK(status == -SIGKILL);
          if (replaces) s.save(path, 1);
        }
        // Between the link and the rename that replaces a file it has a name of its own.
        if (unnamed) CHECK(left_over == (replaces ? 1 : 0));
      }
}

TEST_CASE("a thousand kills of a program that saves over and over") {
  const temporary_folder folder;
  const fs::path path = folder / "x";
  std::vector<std::string> known;
  for (const int number : {0, 1}) {
    savers[0].save(path, number);
    known.push_back(content(path));
  }
  std::mt19937 random(7);
  for (int kill = 0; kill < 1000; ++kill) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      try {
        for (int number = 0;; number = 1 - number) savers[0].save(path, number);
      } catch (...) {
        ::_exit(1);
      }
    }
    ::usleep(static_cast<useconds_t>(random() % 3000));
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    const std::string found = content(path);
    if (found != known[0] && found != known[1]) FAIL("after kill " << kill);
    const auto names = names_in(folder);
    if (names.size() > 2) FAIL(names.size() << " files after kill " << kill);
    for (const std::string& name : names)
      if (name != "x") fs::remove(folder / name);
  }
}

TEST_CASE("a file beyond the process's limit is an error, not a signal") {
  const temporary_folder folder;
  const fs::path path = folder / "x";
  savers[0].save(path, 1);
  const std::string older = content(path);
  for (const bool is_ignored : {false, true}) {
    const auto before = std::signal(SIGXFSZ, is_ignored ? SIG_IGN : SIG_DFL);
    std::string said;
    {
      const lowered_limit file_size(RLIMIT_FSIZE, 5000);
      said = message_of<error>([&] { savers[0].save(path, 2); });
    }
    CHECK(said == path.string() + ": cannot write: File too large");
    sigset_t pending, blocked;
    ::sigpending(&pending);
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    CHECK(::sigismember(&pending, SIGXFSZ) == 0);
    CHECK(::sigismember(&blocked, SIGXFSZ) == 0);
    std::signal(SIGXFSZ, before);
  }
  CHECK(content(path) == older);
  CHECK(names_in(folder).size() == 1);
}

TEST_CASE("a folder that may not be written to") {
  const temporary_folder folder;
  const fs::path path = folder / "x";
  savers[0].save(path, 1);
  const std::string older = content(path);
  ::chmod(folder.path().c_str(), 0555);
  const int status = status_of_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(3); // the superuser may write everywhere
    const std::string said = message_of<error>([&] { savers[0].save(path, 2); });
    ::_exit(said == path.string() + ": cannot create a file beside it: Permission denied" ? 0 : 1);
  });
  ::chmod(folder.path().c_str(), 0755);
  CHECK(status == 0);
  CHECK(content(path) == older);
  CHECK(names_in(folder).size() == 1);
}
