#include <program/program.hpp>
#include <program/text.hpp>

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace {

struct arguments {
  std::string word;
};

void declare(CLI::App& app, arguments& a) { app.add_option("WORD", a.word)->required(); }

/// A file in place of a descriptor while this lives.
class redirected {
public:
  redirected(int descriptor, const std::filesystem::path& to)
      : descriptor_(descriptor), before_(::dup(descriptor)) {
    const int file = ::open(to.c_str(), O_WRONLY | O_CREAT, 0600);
    REQUIRE(before_ >= 0);
    REQUIRE(::dup2(file, descriptor) == descriptor);
    ::close(file);
  }
  ~redirected() {
    ::dup2(before_, descriptor_);
    ::close(before_);
  }
  redirected(const redirected&) = delete;
  redirected& operator=(const redirected&) = delete;

private:
  int descriptor_, before_;
};

struct outcome {
  int status;
  std::string output, errors;
};

/// What comes of `program WORD`, and of `program` where there is no word.
outcome result_of(void (*work)(const arguments&), const char* word, const char* output = nullptr) {
  const temporary_folder folder;
  std::string name = "program", given = word ? word : "";
  char* words[] = {name.data(), given.data()};
  int status = 0;
  std::fflush(stdout);
  {
    const redirected out(STDOUT_FILENO, output ? std::filesystem::path(output) : folder / "output");
    const redirected errors(STDERR_FILENO, folder / "errors");
    status = program::run<arguments>("program", "Does work.", word ? 2 : 1, words, declare, work);
  }
  return {status, output ? "" : content(folder / "output"), content(folder / "errors")};
}

void repeat_word(const arguments& a) { program::print(a.word + "\n"); }

} // namespace

TEST_CASE("a program prints what its work makes of the arguments", "[program]") {
  const outcome r = result_of(repeat_word, "hello");
  CHECK(r.status == 0);
  CHECK(r.output == "hello\n");
  CHECK(r.errors.empty());
}

TEST_CASE("an output that can't be written is one line and status 1", "[program]") {
  const outcome r = result_of(repeat_word, "hello", "/dev/full");
  CHECK(r.status == 1);
  CHECK(r.errors == "program: cannot write to the standard output\n");
}

TEST_CASE("bad input is one line and status 2", "[program]") {
  const outcome none = result_of(repeat_word, nullptr);
  CHECK(none.status == 2);
  CHECK(none.errors == "program: WORD is required (--help lists the options)\n");

  const outcome refused =
      result_of([](const arguments& a) { throw fovea::error(a.word + ": no such file"); }, "a\nb\x1b\xff");
  CHECK(refused.status == 2);
  CHECK(refused.errors == "program: a b \xef\xbf\xbd: no such file\n");

  const outcome denied = result_of(
      [](const arguments& a) {
        std::filesystem::create_directory(std::filesystem::path("/dev/null") / a.word);
      },
      "x");
  CHECK(denied.status == 2);
  CHECK(denied.errors.find("/dev/null/x") != std::string::npos);
}

TEST_CASE("what else goes wrong is status 1", "[program]") {
  const outcome r = result_of([](const arguments&) { throw std::runtime_error("no luck"); }, "x");
  CHECK(r.status == 1);
  CHECK(r.errors == "program: no luck\n");
}
