#include "failure.hpp"
#include "shapes.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <exception>

/// The command line of Fovea: each subcommand is a file, which declares itself.
int main(int count, char** words) {
  constexpr int bad_input = 2;
  const auto fail = [](const char* problem) {
    fmt::print(stderr, "fovea: {}\n", problem);
    return bad_input;
  };
  try {
    CLI::App app("Looks at models that are declared with Fovea", "fovea");
    app.require_subcommand(1);
    int status = 0;
    tool::declare_shapes(app, status);
    try {
      app.parse(count, words);
    } catch (const CLI::ParseError& problem) {
      if (problem.get_exit_code() == 0) return app.exit(problem);
      return fail(fmt::format("{} (--help lists the options)", problem.what()).c_str());
    }
    return status;
  } catch (const std::exception& problem) {
    return fail(problem.what());
  }
}
