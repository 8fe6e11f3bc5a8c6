#include "command.hpp"

#include "failure.hpp"

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

CLI::Option* add_model_options(CLI::App& command, model_source& of) {
  CLI::Option* library = command.add_option("--library", of.library,
                                            "The folder of Fovea's libraries, where not beside this program");
  add_compile_options(command, of.wishes);
  return library;
}

void require_header(const model_source& of) {
  if (!std::filesystem::is_regular_file(of.header)) throw failure("there is no file " + of.header.string());
}

} // namespace tool
