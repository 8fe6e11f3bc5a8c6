#include "model_program.hpp"

#include "../compiler_sentence.hpp"
#include "../embedded_text.hpp"
#include "../failure.hpp"
#include "../filled_text.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/safetensors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

std::map<std::string, numbers> read_numbers(const fs::path& path) {
  const fovea::core::safetensors_file file(path);
  std::map<std::string, numbers> made;
  for (const auto& [name, tensor] : file.tensors()) made[name] = numbers_of(tensor);
  return made;
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
[[noreturn]] void refuse(const fs::path& header, const std::string& model, const std::string& errors) {
  if (const auto found = sentence_in(errors, header))
    throw failure(
        fmt::format("{}:{}: {}", fs::path(found->file).filename().string(), found->line, found->sentence));
  throw failure(fmt::format("{} of {} does not compile: {}", model, header.string(), first_error(errors)));
}

} // namespace

model_program::model_program(const fs::path& header, const std::string& model,
                             const std::vector<std::string>& backends, const compile_wishes& wishes,
                             fs::path library)
    : header_(header.filename().string()) {
  if (library.empty()) library = library_folder();
  if (!fs::exists(library / runtime_library))
    throw failure(fmt::format("{}: expected the folder to hold {}", library.string(), runtime_library));
  const fs::path source = folder_.path() / "check.cpp", program = folder_.path() / "check";
  text_values values{
      {"header", fs::absolute(header).string()}, {"model", model}, {"simd", ""}, {"reference", ""}};
  for (const std::string& one : backends) values[one] = "yes";
  std::ofstream(source) << filled(text_named("check.cpp.in"), values);
  const compile_command command = command_for(fs::absolute(header), wishes);
  std::vector<std::string> words = command.words;
  words.insert(words.end(), {"-w", "-O1", "-g0", "-fno-lto", "-x", "c++", source.string(), "-x", "none", "-o",
                             program.string(), "-L" + library.string(), "-lfovea_runtime", "-lfovea_kernels",
                             "-lutf8proc", "-pthread", "-Wl,--gc-sections"});
  if (const finished_process done = run(words, command.folder); done.status != 0)
    refuse(header, model, done.errors);
  const fs::path described = folder_.path() / "boundary.txt";
  run_it({"describe", described.string()});
  boundary_ = read_boundary(described);
}

void model_program::run_it(std::vector<std::string> words) const {
  words.insert(words.begin(), (folder_.path() / "check").string());
  const finished_process done = run(words, fs::current_path());
  if (done.status == 0) return;
  std::string sentence = done.errors.substr(0, done.errors.find('\n'));
  if (done.status != 2)
    sentence = fmt::format("the model of {} {}{}{}", header_, end_of(done.status),
                           sentence.empty() ? "" : ": ", sentence);
  throw failure(sentence);
}

std::map<std::string, numbers> model_program::outputs(const std::string& backend, const fs::path& weights,
                                                      const std::map<std::string, numbers>& inputs) const {
  const fs::path in = folder_.path() / "inputs.safetensors", out = folder_.path() / "outputs.safetensors";
  save_numbers(in, inputs);
  run_it({"run", backend, weights.string(), in.string(), out.string()});
  return read_numbers(out);
}

std::map<std::string, numbers> model_program::drawn_inputs(std::uint64_t seed,
                                                           const std::vector<std::string>& sizes) const {
  const fs::path in = folder_.path() / "inputs.safetensors";
  std::vector<std::string> words{"draw", std::to_string(seed), in.string()};
  for (const std::string& one : sizes) {
    const std::size_t at = one.find('=');
    const std::string number = at == one.npos ? "" : one.substr(at + 1);
    const bool fits = at != 0 && !number.empty() && number.size() < 10 &&
                      std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; }) &&
                      std::stol(number) > 0;
    if (!fits) throw failure("--size " + fovea::core::in_quotes(one) + ": expected DIM=NUMBER, as in T=16");
    words.push_back(one);
  }
  require_dims(boundary_, sizes);
  run_it(words);
  return read_numbers(in);
}

} // namespace tool
