#include "shapes.hpp"

#include "command.hpp"
#include "compiler_sentence.hpp"
#include "failure.hpp"
#include "model_text.hpp"
#include "process.hpp"
#include "shape_report.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>

namespace tool {

namespace {

namespace fs = std::filesystem;

struct arguments {
  std::string file;
  compile_wishes wishes;
  std::vector<std::string> instances;
  report_wishes report;
  bool json = false, sarif = false;
};

/// What is compiled: the file, or one that includes it and asks for instances of its templates.
fs::path source_of(const fs::path& file, const std::vector<std::string>& instances, const fs::path& folder) {
  if (instances.empty()) return file;
  const fs::path made = folder / "instances.cpp";
  std::ofstream out(made);
  out << "#include \"" << file.string() << "\"\nusing namespace fovea;\n";
  for (const std::string& one : instances) out << "static_assert(sizeof(" << one << ") > 0);\n";
  return made;
}

std::string content_of(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Compiles with the texts of the models, which costs the compiler's front and little else: -Og takes no
/// longer than -O0, at which xsimd 8.1 does not compile for AVX-512. Where that fails, the compiler is asked
/// for its own words: of a model that is ill-formed and then used, or of a call.
shape_report look(const fs::path& file, const arguments& a) {
  const compile_command command = command_for(file, a.wishes);
  const temporary_folder folder;
  const fs::path source = source_of(file, a.instances, folder.path()), object = folder.path() / "object";
  const auto compile = [&](std::initializer_list<const char*> flags) {
    std::vector<std::string> words = command.words;
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-x", "c++", source.string()});
    return run(words, command.folder);
  };
  const std::string to = object.string();
  const finished_process shown =
      compile({"-DFOVEA_SHAPES", "-w", "-Og", "-g0", "-fno-lto", "-c", "-o", to.c_str()});
  if (shown.status == 0) return report_of(file, command.folder, models_in(content_of(object)), a.report);

  const finished_process plain = compile({"-w", "-fsyntax-only"});
  if (auto found = sentence_in(plain.errors, file)) {
    if (fs::path(found->file).filename() == file.filename()) found->file = file.string();
    return {file, {}, {}, {std::move(*found)}, {}};
  }
  throw failure(fmt::format("{} does not compile: {}", a.file, first_error(shown.errors)));
}

int show(const arguments& a) {
  std::error_code none;
  if (!fs::is_regular_file(a.file, none)) throw failure("there is no file " + a.file);
  const fs::path file = fs::canonical(a.file);
  const shape_report report = look(file, a);
  if (a.json)
    print_json(json_of(report));
  else if (a.sarif)
    print_json(sarif_of(report));
  else
    fmt::print("{}", text_of(report, a.file));
  const auto say = [&](const mistake& one, const char* kind) {
    fmt::print(stderr, "{}:{}: {}{}\n", fs::path(one.file) == file ? a.file : one.file, one.line, kind,
               one.sentence);
  };
  for (const mistake& one : report.mistakes) say(one, "");
  for (const mistake& one : report.warnings) say(one, "warning: ");
  if (report.models.empty() && report.mistakes.empty())
    fmt::print(
        stderr,
        "fovea: {} makes no model; one that is a template is shown where it is used, or by --instance\n",
        a.file);
  if (report.rows.empty() && !report.models.empty() && report.mistakes.empty())
    fmt::print(stderr, "fovea: the models of {} stand in files that it includes; --all shows them\n", a.file);
  return report.mistakes.empty() ? 0 : 1;
}

void declare_options(CLI::App& command, arguments& a) {
  command.add_option("file", a.file, "A source file or a header")->required();
  add_compile_options(command, a.wishes);
  command.add_option("--instance", a.instances, "A model that is a template, as in 'gpt<small>'")
      ->allow_extra_args(false);
  command.add_flag("--all", a.report.all_files, "Show the lines of included files, too");
  command.add_flag("--unused", a.report.unused, "Warn of each parameter and word that no output depends on");
  CLI::Option* json = add_json(command, a.json);
  command.add_flag("--sarif", a.sarif, "Print mistakes and warnings as SARIF 2.1.0")->excludes(json);
}

} // namespace

void declare_shapes(CLI::App& app, int& status) {
  add_command(app, status, "shapes", "Prints the shape of each expression of each model in a C++ file",
              declare_options, show);
}

} // namespace tool
