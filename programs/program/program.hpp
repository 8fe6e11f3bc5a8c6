#pragma once

#include "command_line.hpp"
#include "text.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/system/arguments.hpp>
#include <fovea/base/system/terminal.hpp>

#include <algorithm>
#include <concepts>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace program {

/// `declare(app, arguments)` states the options of a command line, `work(arguments)` does the rest. What goes
/// wrong is one line on the standard error; the exit status is 2 for bad input, which a file that cannot be had
/// is too.
template <class arguments,
          std::invocable<CLI::App&, arguments&> declaration = void (*)(CLI::App&, arguments&),
          std::invocable<const arguments&> job = void (*)(const arguments&)>
int run(const char* name, const char* about, std::vector<std::string> words, declaration declare, job work) {
  const auto fail = [&](const std::string& problem, int status) {
    notice(name, problem);
    return status;
  };
  constexpr int bad_input = 2;
  try {
    arguments a;
    CLI::App app(about, name);
    app.allow_windows_style_options(false); // on Windows, too, an argument that starts with / is a path
    declare(app, a);
    try {
      std::ranges::reverse(words); // CLI11 takes the last first
      app.parse(std::move(words));
    } catch (const CLI::ParseError& problem) {
      if (problem.get_exit_code() == 0) return app.exit(problem);
      return fail(std::string(problem.what()) + " (--help lists the options)", bad_input);
    }
    work(a);
    return 0;
  } catch (const fovea::error& problem) {
    return fail(problem.what(), bad_input);
  } catch (const std::filesystem::filesystem_error& problem) {
    return fail(problem.what(), bad_input);
  } catch (const std::exception& problem) {
    return fail(problem.what(), 1);
  }
}

/// The main of a program, of what the system gave it.
template <class arguments, class declaration = void (*)(CLI::App&, arguments&),
          class job = void (*)(const arguments&)>
int run(const char* name, const char* about, int count, char** words, declaration declare, job work) {
  fovea::core::system::show_utf8();
  std::vector<std::string> given = fovea::core::system::arguments(count, words);
  if (!given.empty()) given.erase(given.begin()); // the program's own name
  return run<arguments>(name, about, std::move(given), declare, work);
}

} // namespace program
