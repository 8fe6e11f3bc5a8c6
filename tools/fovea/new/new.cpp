#include "new.hpp"

#include "checkpoint.hpp"
#include "family.hpp"
#include "project.hpp"

#include "../command.hpp"

#include <program/text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tool {
namespace {

struct arguments {
  std::string folder, from;
  bool json = false;
};

void declare_options(CLI::App& command, arguments& a) {
  command.add_option("DIR", a.folder, "The folder to write: one that is not there yet, or is empty")
      ->required();
  command
      .add_option("--from", a.from,
                  "A folder of Hugging Face (config.json, model.safetensors or shards), or a GGUF file")
      ->required();
  add_json(command, a.json);
}

int work(const arguments& a) {
  checkpoint from = open_checkpoint(a.from);
  const model_plan plan = family_of(from)(from);
  const std::vector<std::string> files = write_project(a.folder, plan, from);
  if (a.json)
    print_json({{"folder", a.folder},
                {"architecture", from.architecture},
                {"app", plan.app},
                {"model", plan.model},
                {"files", files},
                {"passed_over", plan.passed_over}});
  else
    program::print(fmt::format("{}: {} of {}\n", a.folder, fmt::join(files, ", "), from.architecture));
  if (!plan.passed_over.empty())
    program::notice("fovea",
                    fmt::format("{} does not use {} tensor{} of the checkpoint: {}{}", from.architecture,
                                plan.passed_over.size(), plan.passed_over.size() == 1 ? "" : "s",
                                plan.passed_over.front(), plan.passed_over.size() == 1 ? "" : ", ..."));
  return 0;
}

} // namespace

void declare_new(CLI::App& app, int& status) {
  add_command(app, status, "new", "Writes a CMake project around a model that others trained",
              declare_options, work);
}

} // namespace tool
