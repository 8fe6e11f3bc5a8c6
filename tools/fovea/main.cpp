#include "check/check.hpp"
#include "convert/convert.hpp"
#include "inspect/inspect.hpp"
#include "nearest_name.hpp"
#include "new/new.hpp"
#include "shapes.hpp"

#include <fovea/base/in_quotes.hpp>

#include <program/command_line.hpp>
#include <program/text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace {

/// What is wrong with a word in the place of a subcommand; empty: nothing.
std::string refusal_of(const std::string& word, const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) return {};
  const std::string nearest = tool::nearest_name(word, names);
  return fmt::format("there is no subcommand {}; expected {} (--help lists all)",
                     fovea::core::in_quotes(word),
                     nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : nearest);
}

} // namespace

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
    if (count > 1)
      if (const std::string refusal = refusal_of(words[1], app); !refusal.empty()) return fail(refusal);
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
