#include "compiled_program.hpp"

#include "compiler_sentence.hpp"
#include "embedded_text.hpp"
#include "failure.hpp"

#include <fmt/format.h>

#include <csignal>
#include <fstream>

namespace tool {
namespace {

namespace fs = std::filesystem;
constexpr const char* runtime_library = "libfovea_runtime.a";

/// Where the libraries are installed, or were built, with this program.
fs::path library_folder() {
  for (const fs::path& folder : folders_above_this_program())
    for (const fs::path& one : {folder, folder / FOVEA_LIBRARY_FOLDER, folder / "lib"})
      if (fs::exists(one / runtime_library)) return one;
  throw failure(std::string("there is no ") + runtime_library +
                " beside this program; --library names its folder");
}

/// How a process ended, as "ended with status 3".
std::string end_of(int status) {
  constexpr int signals = 128; // plus the signal is the status, as shells have it
  if (status <= signals) return fmt::format("ended with status {}", status);
  const int signal = status - signals;
  return fmt::format("was killed (signal {}){}", signal,
                     signal == SIGKILL ? ", perhaps for want of memory" : "");
}

/// The sentence of the compiler about the user's header.
[[noreturn]] void refuse(const model_source& of, const std::string& errors) {
  if (const auto found = sentence_in(errors, of.header))
    throw failure(
        fmt::format("{}:{}: {}", fs::path(found->file).filename().string(), found->line, found->sentence));
  throw failure(
      fmt::format("{} of {} does not compile: {}", of.model, of.header.string(), first_error(errors)));
}

} // namespace

compiled_program::compiled_program(const std::string& text, const model_source& of, text_values values)
    : program_(folder_.path() / "program"), header_(of.header.filename().string()) {
  const fs::path library = of.library.empty() ? library_folder() : of.library;
  if (!fs::exists(library / runtime_library))
    throw failure(fmt::format("{}: expected the folder to hold {}", library.string(), runtime_library));
  const fs::path source = folder_.path() / "program.cpp";
  values["header"] = fs::absolute(of.header).string();
  values["model"] = of.model;
  std::ofstream(source) << filled(text_named(text), values);
  const compile_command command = command_for(fs::absolute(of.header), of.wishes);
  std::vector<std::string> words = command.words;
  words.insert(words.end(), {"-w", "-O1", "-g0", "-fno-lto", "-x", "c++", source.string(), "-x", "none", "-o",
                             program_.string(), "-L" + library.string(), "-lfovea_runtime", "-lfovea_kernels",
                             "-lutf8proc", "-pthread", "-Wl,--gc-sections"});
  if (const finished_process done = tool::run(words, command.folder); done.status != 0)
    refuse(of, done.errors);
}

void compiled_program::run(std::vector<std::string> words) const {
  words.insert(words.begin(), program_.string());
  const finished_process done = tool::run(words, fs::current_path());
  if (done.status == 0) return;
  std::string sentence = done.errors.substr(0, done.errors.find('\n'));
  if (done.status != 2)
    sentence = fmt::format("the model of {} {}{}{}", header_, end_of(done.status),
                           sentence.empty() ? "" : ": ", sentence);
  throw failure(sentence);
}

} // namespace tool
