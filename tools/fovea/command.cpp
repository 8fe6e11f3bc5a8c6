#include "command.hpp"

#include <program/text.hpp>

namespace tool {

CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Print JSON");
}

void print_json(const nlohmann::ordered_json& value) {
  program::print(value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

void add_compile_options(CLI::App& command, compile_wishes& wishes) {
  command.add_option("flags", wishes.flags, "After --: flags of the compiler, instead of the project's");
  command.add_option("--build", wishes.build, "A folder with compile_commands.json");
  command.add_option("--compiler", wishes.compiler, "The compiler, instead of the project's, $CXX or c++");
}

} // namespace tool
