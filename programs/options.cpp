#include <fovea/programs/options.hpp>

#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/base/error.hpp>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace fovea::programs {
namespace {

/// The file that a program opens; empty where it has the bytes.
std::filesystem::path path_of(const char* option, const std::filesystem::path& named, const built_file& built) {
  if (!named.empty() || !built.bytes.empty()) return named;
  if (built.path.empty()) throw error(std::string(option) + " is required: the program is built without");
  return built.path;
}

} // namespace

void declare(CLI::App& app, options& o, const program_parts& parts) {
  app.set_version_flag("--version", [&parts] { return version_of(parts); });
  app.add_option("FILE", o.files, "Texts, a line each; -: the standard input, which is read where no file is named");
  app.add_option("--weights", o.weights, "safetensors, GGUF, or what else fovea::load_weights opens")
      ->required(parts.weights.path.empty() && parts.weights.bytes.empty());
  app.add_option("--tokenizer", o.tokenizer, "tokenizer.json, a SentencePiece model, GGUF, or llama2.c's .bin")
      ->required(parts.tokenizer.path.empty() && parts.tokenizer.bytes.empty());
  o.context = parts.context;
  app.add_option("--context", o.context, "The most tokens of a text")
      ->capture_default_str()
      ->required(parts.context == 0)
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--threads", o.threads, "0: every processor")->capture_default_str()->check(CLI::Range(0, 1024));
  app.add_flag("--json", o.json, "Print a line of JSON for each text");
  app.add_option("--field", o.field, "Read lines of JSON, whose texts are in this member");
}

std::string version_of(const program_parts& parts) {
  return parts.name + ": " + parts.model + ", weights in " + parts.format + ", " + instruction_set() +
         ", Fovea " FOVEA_VERSION;
}

model_weights weights_of(const options& o, const program_parts& parts) {
  const std::filesystem::path path = path_of("--weights", o.weights, parts.weights);
  return path.empty() ? load_weights(parts.weights.bytes, "the program's weights") : load_weights(path);
}

tokenizer tokenizer_of(const options& o, const program_parts& parts) {
  const std::filesystem::path path = path_of("--tokenizer", o.tokenizer, parts.tokenizer);
  return path.empty() ? load_tokenizer(parts.tokenizer.bytes, "the program's tokenizer") : load_tokenizer(path);
}

} // namespace fovea::programs
