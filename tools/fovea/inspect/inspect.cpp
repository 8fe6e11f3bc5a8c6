#include "inspect.hpp"

#include "inspection.hpp"
#include "inspection_text.hpp"

#include "../command.hpp"
#include "../failure.hpp"

#include <program/text.hpp>
#include <terminal/terminal.hpp>

#include <cstdio>
#include <unistd.h>

namespace tool {
namespace {

struct arguments {
  std::string file;
  inspection_wishes wishes;
  bool json = false;
};

void declare_options(CLI::App& command, arguments& a) {
  command.add_option("FILE", a.file, "Weights, a tokenizer, or a folder with both")->required();
  command.add_option("--tensors", a.wishes.pattern, "Those of such names alone, as in '*attn*'");
  command.add_flag("--all", a.wishes.each, "A line for each tensor: those of all layers are one otherwise");
  add_json(command, a.json);
}

int work(const arguments& a) {
  const inspection found = inspect(a.file);
  if (a.json) {
    print_json(json_of(found, a.wishes));
    return 0;
  }
  inspection_wishes wishes = a.wishes;
  if (::isatty(STDOUT_FILENO) == 1) wishes.columns = terminal::columns_of(stdout);
  program::print(text_of(found, wishes));
  return 0;
}

} // namespace

void declare_inspect(CLI::App& app, int& status) {
  add_command(app, status, "inspect", "Tells what a weight file, a tokenizer or a folder of both holds",
              declare_options, work);
}

} // namespace tool
