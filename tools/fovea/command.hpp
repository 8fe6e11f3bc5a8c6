#pragma once

#include "compile_command.hpp"
#include "compiled_program.hpp"

#include <program/command_line.hpp>

#include <nlohmann/json.hpp>

#include <memory>

namespace tool {

// What the subcommands have in common: how each declares itself, --json, and what says how C++ is compiled.
// Mistakes in what they are given are exceptions, whose sentence main.cpp prints.

/// Declares a subcommand: `options` binds its options to `arguments`, and `work` gives the exit status.
template <class arguments>
CLI::App* add_command(CLI::App& app, int& status, const char* name, const char* about,
                      void (*options)(CLI::App&, arguments&), int (*work)(const arguments&)) {
  const auto a = std::make_shared<arguments>();
  CLI::App* command = app.add_subcommand(name, about);
  options(*command, *a);
  command->callback([a, work, &status] { status = work(*a); });
  return command;
}

/// --json.
CLI::Option* add_json(CLI::App& command, bool& json);

/// Prints what --json asks for. Bytes that are not UTF-8 become U+FFFD.
void print_json(const nlohmann::ordered_json& value);

/// --build, --compiler, and the flags behind --.
void add_compile_options(CLI::App& command, compile_wishes& wishes);
/// --library, and those. Gives --library.
CLI::Option* add_model_options(CLI::App& command, model_source& of);
/// Throws failure where there is no such header.
void require_header(const model_source& of);

} // namespace tool
