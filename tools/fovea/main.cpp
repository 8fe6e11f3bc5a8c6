#include "check/check.hpp"
#include "convert/convert.hpp"
#include "inspect/inspect.hpp"
#include "new/new.hpp"
#include "shapes.hpp"

#include <program/text.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/core.h>

#include <exception>

/// The command line of Fovea: each subcommand is a file, which declares itself. What one cannot do is thrown.
int main(int count, char** words) {
  constexpr int bad_input = 2;
  const auto fail = [](const std::string& problem) {
    program::notice("fovea", problem);
    return bad_input;
  };
  try {
    CLI::App app("Works on models that are declared with Fovea, and on their weights", "fovea");
    app.require_subcommand(1);
    int status = 0;
    for (const auto declare : {tool::declare_new, tool::declare_inspect, tool::declare_convert,
                               tool::declare_check, tool::declare_shapes})
      declare(app, status);
    try {
      app.parse(count, words);
    } catch (const CLI::ParseError& problem) {
      if (problem.get_exit_code() == 0) return app.exit(problem);
      return fail(fmt::format("{} (--help lists the options)", problem.what()));
    }
    return status;
  } catch (const std::exception& problem) {
    return fail(problem.what());
  }
}
