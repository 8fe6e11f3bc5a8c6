#include <fovea/programs/options.hpp>

#include <fovea/base/error.hpp>
#include <fovea/programs/built.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace fovea::programs {
void declare_model(CLI::App& app, options& o, const program_parts& parts) {
  app.set_version_flag("--version", [&parts] { return version_of(parts); });
  app.add_option(
      "--weights", o.weights,
      "A file (safetensors, GGUF, or what else fovea::load_weights opens), or a folder of Hugging Face");
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

void declare_cache(CLI::App& app, options& o) {
  const std::map<std::string, cache_format> named{
      {"f32", f32{}}, {"f16", f16{}}, {"bf16", bf16{}}, {"q8_0", q8_0{}}};
  app.add_option_function<std::string>(
         "--cache", [&o, named](const std::string& name) { o.cache = named.at(name); },
         "What the keys and values of a text are kept in: f32, f16, bf16 or q8_0")
      ->default_str("f32")
      ->check(CLI::IsMember(named));
}

void declare_batch(CLI::App& app, options& o) {
  app.add_option_function<std::string>(
         "--shard", [&o](const std::string& text) { o.part = shard_of(text); },
         "Answer every N-th line alone, as worker I of N, from 0 or from 1")
      ->type_name("I/N");
  CLI::Option* output =
      app.add_option("--output", o.output, "Write the lines of JSON to this new file")->needs("--json");
  app.add_flag("--resume", o.resume, "Go on behind the answers that are in the file of --output")
      ->needs(output);
}

void declare_files(CLI::App& app, options& o) {
  declare_batch(app, o);
  app.add_option("FILE", o.files,
                 "Texts, a line each; -: the standard input, which is read where no file is named");
}

void refuse_context(const options& o, const core::capacity_error& problem) {
  const std::int64_t around = problem.asked().size - o.context; // of what a text begins or ends with
  throw error("--context: expected at most " + std::to_string(problem.most() - around) +
              ", the longest that the model takes; found " + std::to_string(o.context));
}

model_weights weights_of(const options& o, const program_parts& parts) {
  if (o.weights.empty() && !has_weights(parts))
    throw error("--weights is required: the program is built without weights");
  return weights_of(parts, o.weights);
}

tokenizer tokenizer_of(const options& o, const program_parts& parts, std::size_t most) {
  std::optional<tokenizer> words = tokenizer_of(parts, o.tokenizer, o.weights, most);
  if (!words) throw error("--tokenizer is required: the program is built without a tokenizer");
  return *std::move(words);
}

tokenizer target_tokenizer_of(const options& o, const program_parts& parts, std::size_t most) {
  std::optional<tokenizer> words = target_tokenizer_of(parts, o.target_tokenizer, most);
  return words ? *std::move(words) : tokenizer_of(o, parts, most);
}

} // namespace fovea::programs
