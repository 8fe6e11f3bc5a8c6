#include <fovea/programs/options.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/backend_of.hpp>
#include <fovea/weights/expect_metadata.hpp>
#include <fovea/weights/gguf.hpp>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>

namespace fovea::programs {
namespace {

bool has_tokenizer(const std::filesystem::path& path) {
  return path.extension() == ".gguf" && core::gguf_file(path).metadata().contains("tokenizer.ggml.model");
}

/// The tokenizer at `path`, or where that is empty, what the program is built with.
tokenizer opened(const std::filesystem::path& path, const built_file& built, const program_parts& parts,
                 std::size_t most) {
  const std::filesystem::path& named = path.empty() ? built.path : path;
  tokenizer words = path.empty() && !built.bytes.empty()
                        ? load_tokenizer(built.bytes, named.filename().string())
                        : load_tokenizer(named);
  if (words.vocabulary_size() > most)
    throw error(named.string() + ": expected a tokenizer of at most " + std::to_string(most) +
                " tokens, as " + parts.model + " has; found " + std::to_string(words.vocabulary_size()));
  return words;
}

std::string set_of(const program_parts& parts) {
  const auto runs =
      std::ranges::find_if(parts.sets, [](const std::string& set) { return core::may_run(set); });
  return runs == parts.sets.end() ? parts.sets.back() + " (which this processor lacks)" : *runs;
}

} // namespace

void declare_model(CLI::App& app, options& o, const program_parts& parts) {
  app.set_version_flag("--version", [&parts] { return version_of(parts); });
  app.add_option("--weights", o.weights, "safetensors, GGUF, or what else fovea::load_weights opens");
  app.add_option("--threads", o.threads, "0: every processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  app.add_flag_callback(
      "--profile", [&o] { o.profiled = std::make_shared<profile_at_end>(); },
      "At the end print what each step of the model took, on the standard error");
}

void declare_texts(CLI::App& app, options& o, const program_parts& parts) {
  app.add_option(
      "--tokenizer", o.tokenizer,
      "tokenizer.json, a SentencePiece model, GGUF, or llama2.c's .bin; that of the weights where they are "
      "a .gguf file");
  o.context = parts.context;
  app.add_option("--context", o.context, "The most tokens of a text")
      ->capture_default_str()
      ->required(parts.context == 0)
      ->check(CLI::Range(1, 1 << 24));
}

void declare(CLI::App& app, options& o, const program_parts& parts) {
  declare_model(app, o, parts);
  declare_texts(app, o, parts);
  app.add_flag("--json", o.json, "Print a line of JSON for each text");
  app.add_option("--field", o.field, "Read lines of JSON, whose texts are in this member");
}

void declare_files(CLI::App& app, options& o) {
  app.add_option("FILE", o.files,
                 "Texts, a line each; -: the standard input, which is read where no file is named");
}

std::string version_of(const program_parts& parts) {
  return parts.name + ": " + parts.model + ", weights in " + parts.format + ", " + set_of(parts) +
         ", Fovea " FOVEA_VERSION;
}

model_weights weights_of(const options& o, const program_parts& parts) {
  const built_file& built = parts.weights;
  const bool in_program = o.weights.empty() && !built.bytes.empty();
  if (!in_program && o.weights.empty() && built.path.empty())
    throw error("--weights is required: the program is built without");
  model_weights weights = in_program ? load_weights(built.bytes, "the program's weights")
                                     : load_weights(o.weights.empty() ? built.path : o.weights);
  expect_metadata(weights, parts.metadata);
  return weights;
}

tokenizer tokenizer_of(const options& o, const program_parts& parts, std::size_t most) {
  std::filesystem::path path = o.tokenizer;
  if (path.empty() && has_tokenizer(o.weights)) path = o.weights;
  const bool of_weights = parts.tokenizer.path.empty() && parts.weights.path.extension() == ".gguf";
  const built_file& built = of_weights ? parts.weights : parts.tokenizer;
  if (path.empty() && built.path.empty())
    throw error("--tokenizer is required: the program is built without");
  return opened(path, built, parts, most);
}

tokenizer target_tokenizer_of(const options& o, const program_parts& parts, std::size_t most) {
  if (o.target_tokenizer.empty() && parts.target_tokenizer.path.empty()) return tokenizer_of(o, parts, most);
  return opened(o.target_tokenizer, parts.target_tokenizer, parts, most);
}

token_id id_of(const std::string& token, const tokenizer& words) {
  const std::optional<token_id> id = words.id(token);
  if (!id) throw error("the tokenizer has no token \"" + token + "\", which the program is built with");
  return *id;
}

} // namespace fovea::programs
