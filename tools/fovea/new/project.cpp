#include "project.hpp"

#include "text_ends.hpp"
#include "weights_in_memory.hpp"

#include "../embedded_text.hpp"
#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/safetensors.hpp>
#include <fovea/weights/weight_format.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <regex>
#include <set>
#include <span>

namespace tool {
namespace {

namespace fs = std::filesystem;

/// A name for the program and its namespace, from that of the folder.
std::string identifier_of(const fs::path& folder) {
  // Words of C++, of CMake, and those that the texts use.
  static const std::set<std::string> taken{"all",
                                           "and",
                                           "attention",
                                           "auto",
                                           "axis",
                                           "bool",
                                           "break",
                                           "case",
                                           "catch",
                                           "causal",
                                           "char",
                                           "class",
                                           "clean",
                                           "compile",
                                           "concat",
                                           "const",
                                           "core",
                                           "default",
                                           "delete",
                                           "describe",
                                           "dim",
                                           "do",
                                           "double",
                                           "else",
                                           "embedding",
                                           "enum",
                                           "error",
                                           "export",
                                           "expr",
                                           "extern",
                                           "f32",
                                           "false",
                                           "float",
                                           "for",
                                           "fovea",
                                           "friend",
                                           "gather",
                                           "gelu",
                                           "gelu_tanh",
                                           "generated",
                                           "goto",
                                           "graph",
                                           "greedy",
                                           "help",
                                           "i32",
                                           "if",
                                           "init",
                                           "inline",
                                           "install",
                                           "int",
                                           "last",
                                           "layer_norm",
                                           "learned_positions",
                                           "linear",
                                           "literals",
                                           "long",
                                           "main",
                                           "matmul",
                                           "max",
                                           "max_over",
                                           "model",
                                           "models",
                                           "mutable",
                                           "name_rule",
                                           "namespace",
                                           "naming",
                                           "new",
                                           "not",
                                           "nullptr",
                                           "operator",
                                           "or",
                                           "package",
                                           "padding",
                                           "parameter",
                                           "private",
                                           "protected",
                                           "public",
                                           "range",
                                           "reference",
                                           "register",
                                           "relu",
                                           "repeat",
                                           "reshape",
                                           "return",
                                           "rms_norm",
                                           "rope",
                                           "sample",
                                           "scan",
                                           "scope",
                                           "short",
                                           "signed",
                                           "silu",
                                           "simd",
                                           "sizeof",
                                           "slice",
                                           "softmax",
                                           "sqrt",
                                           "static",
                                           "std",
                                           "stream",
                                           "struct",
                                           "sum",
                                           "switch",
                                           "tanh",
                                           "template",
                                           "test",
                                           "this",
                                           "throw",
                                           "to_float",
                                           "tokenizer",
                                           "train",
                                           "transpose",
                                           "true",
                                           "try",
                                           "typename",
                                           "union",
                                           "unsigned",
                                           "unsqueeze",
                                           "using",
                                           "virtual",
                                           "void",
                                           "volatile",
                                           "where",
                                           "while",
                                           "window",
                                           "xor",
                                           "xt"};
  std::string name;
  for (const char c : folder.filename().string()) {
    const auto byte = static_cast<unsigned char>(c);
    name += byte < 128 && std::isalnum(byte) != 0 ? c : '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 || name.front() == '_')
    name = "model_" + name;
  return taken.contains(name) ? name + "_program" : name;
}

/// An argument of CMake, whatever is in it.
std::string quoted(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("/._-+ ", c) != nullptr;
  };
  if (std::ranges::all_of(text, plain)) return '"' + text + '"';
  std::string equals;
  while (text.find("]" + equals + "]") != text.npos) equals += '=';
  return "[" + equals + "[" + text + "]" + equals + "]";
}

/// How transformers calls what the models call otherwise: ours, theirs, and what stands for ours.
struct alias {
  std::string_view ours;
  const char *theirs, *as;
};
constexpr alias inputs[] = {{"tokens", "input_ids", "input_ids"},
                            {"tokens", "ids", "ids"},
                            {"types", "token_type_ids", "token_type_ids"},
                            {"lengths", "attention_mask", "count(attention_mask)"},
                            {"source", "input_ids", "input_ids"},
                            {"source", "ids", "ids"},
                            {"target", "decoder_input_ids", "decoder_input_ids"},
                            // What transformers takes where it is given none: one type, and no padding.
                            {"types", "input_ids", "zeros(input_ids)"},
                            {"types", "ids", "zeros(ids)"},
                            {"types", "tokens", "zeros(tokens)"},
                            {"lengths", "input_ids", "length(input_ids)"},
                            {"lengths", "ids", "length(ids)"},
                            {"lengths", "tokens", "length(tokens)"},
                            {"lengths", "source", "length(source)"}};
constexpr alias outputs[] = {{"hidden", "last_hidden_state", "last_hidden_state"},
                             {"pooled", "pooler_output", "pooler_output"},
                             {"sentence", "sentence_embedding", "sentence_embedding"},
                             {"memory", "encoder_last_hidden_state", "encoder_last_hidden_state"}};

/// The names that a model of this text gives to its inputs, "input", or outputs, "output".
std::vector<std::string> names_in(const std::string& model, const std::string& what) {
  const std::regex declared("g\\." + what + "(?:<\\w+>)?\\(\"(\\w+)\"");
  std::vector<std::string> names;
  for (std::sregex_iterator at(model.begin(), model.end(), declared), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

/// What the test of the project gives `fovea check` beside a model of this text. Throws failure where the reference lacks an
/// input, or has no output of the model's.
std::string check_words(const checkpoint& from, const std::string& model) {
  if (from.reference.empty()) return "";
  const fovea::core::safetensors_file file(from.reference);
  std::string words = " --reference " + quoted(from.reference.string());
  // Whether the file has a value of the model's, or one that stands for it.
  const auto find = [&](const std::string& what, const std::string& ours, std::span<const alias> known) {
    const auto has = [&](const std::string& name) { return file.tensors().contains(what + "." + name); };
    if (has(ours)) return true;
    const auto one =
        std::ranges::find_if(known, [&](const alias& a) { return a.ours == ours && has(a.theirs); });
    if (one == known.end()) return false;
    words += fmt::format("\n  --{} \"{}={}\"", what, ours, one->as);
    return true;
  };
  for (const std::string& name : names_in(model, "input"))
    if (!find("input", name, inputs))
      throw failure(fmt::format("{}: expected a tensor 'input.{}', which the model takes; there is none",
                                from.reference.string(), name));
  std::string all;
  bool has_output = false;
  for (const std::string& name : names_in(model, "output")) {
    has_output = find("output", name, outputs) || has_output;
    all += (all.empty() ? "'output." : ", 'output.") + name + "'";
  }
  if (!has_output)
    throw failure(fmt::format("{}: expected one of the tensors {}, which the model gives; there is none",
                              from.reference.string(), all));
  return words;
}

/// Where the weights will lie.
fs::path weights_of(const fs::path& folder, const checkpoint& from) {
  return from.joined ? fs::weakly_canonical(fs::absolute(folder) / "weights.safetensors") : from.weights;
}

/// What is told of the weights: their format, and whether they become part of what is built: one file, and no larger
/// than a linker takes. Each line begins with `indent`; `how` is what programs with weights in them are.
std::string weight_words(const checkpoint& from, const char* how, const char* indent = "  ") {
  constexpr std::size_t most_bytes = std::size_t{1} << 30;
  const weights_in_memory kept(from);
  std::string words;
  if (kept.format != fovea::core::weight_format::f32)
    words += fmt::format("\n{}FORMAT {}", indent, fovea::core::name_of(kept.format));
  if (kept.bytes < most_bytes && (from.joined || !fs::is_directory(from.weights)))
    words += fmt::format("\n{}{}", indent, how);
  return words;
}

/// What fovea_add_executable is told beside the files: what texts look like, and whether the files become part of the
/// program.
std::string program_words(const model_plan& plan, const checkpoint& from, const text_values& values) {
  if (plan.app == "transcribe") {
    const fs::path config = from.path / "generation_config.json";
    if (!fs::exists(config))
      throw failure(config.string() + ": expected this file, which says what may be written; there is none");
    return fmt::format("\n  GENERATION_CONFIG {}{}", quoted(config.string()), weight_words(from, "EMBED"));
  }
  constexpr int most_tokens = 2048; // of a text, whatever the model could take: memory is kept for so many
  const int context = std::stoi(values.at("context"));
  std::string words = fmt::format("\n  CONTEXT {}",
                                  from.longest_text > 0 ? from.longest_text : std::min(context, most_tokens));
  const auto add = [&](const char* key, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    words += fmt::format("\n  {}", key);
    for (const std::string& text : texts) words += " " + quoted(text);
  };
  add("LABELS", plan.labels);
  if (plan.app == "generate" || plan.app == "translate") {
    const text_ends ends = ends_of(from, plan.app == "translate");
    if (plan.app == "translate" && (ends.begin.empty() || ends.end.empty()))
      from.config.fail(ends.begin.empty() ? "decoder_start_token_id" : "eos_token_id",
                       "expected a token of " + from.tokenizer.string() + "; there is none");
    if (!ends.begin.empty()) add("BEGIN", {ends.begin});
    add("END", ends.end);
  }
  return words + weight_words(from, "EMBED STATIC");
}

} // namespace

std::vector<std::string> write_project(const fs::path& folder, const model_plan& plan,
                                       const checkpoint& from) {
  if (fs::exists(folder) && (!fs::is_directory(folder) || !fs::is_empty(folder)))
    throw failure(folder.string() + ": expected a folder that is not there yet, or is empty");
  const std::string name = identifier_of(fs::weakly_canonical(fs::absolute(folder)));
  text_values values = plan.values;
  const auto set = [&](const char* key, const std::string& text) { values.emplace(key, text); };
  // The words of a comment stay on its line.
  set("title", fovea::core::shortened(from.architecture));
  set("source", fovea::core::shortened(from.path.filename().string()));
  set("space", name), set("name", name);
  set("model", plan.model), set("app", plan.app);
  const bool texts = !from.tokenizer.empty() && plan.app != "run";
  set("texts", flag_text(texts));
  set("speech", flag_text(texts && plan.app == "transcribe"));
  set("types", "");
  set("gguf", "");
  set("weights", quoted(weights_of(folder, from).string()));
  set("tokenizer", from.tokenizer == from.weights ? "" : quoted(from.tokenizer.string()));
  set("has_reference", flag_text(!from.reference.empty()));
  set("reference_text", from.reference.empty() ? "the backend `reference`, on inputs that are drawn"
                                               : "`reference.safetensors`");
  set("program", texts ? program_words(plan, from, values) : "");
  set("module", weight_words(from, "EMBED STATIC", "    "));
  std::string sizes;
  for (const std::string& dim : plan.dims)
    sizes += fmt::format("{}{{\"{}\", {}}}", sizes.empty() ? "" : ", ", dim, dim == "B" ? 1 : 64);
  set("sizes", sizes), set("last_dim", plan.dims.back());
  std::string unused;
  for (const std::string& tensor : plan.passed_over)
    unused += (unused.empty() ? "" : ", ") + fovea::core::shortened(tensor);
  set("passed_over", unused);

  const std::string model = filled(text_named(plan.text), values);
  set("check_words", check_words(from, model));
  // All texts before the first file: what cannot be written leaves nothing.
  std::vector<std::pair<std::string, std::string>> files{
      {"model.hpp", model},
      {"CMakeLists.txt", filled(text_named("new/CMakeLists.txt.in"), values)},
      {"pyproject.toml", filled(text_named("new/pyproject.toml.in"), values)},
      {"README.md", filled(text_named("new/README.md.in"), values)}};
  if (!texts) files.emplace(files.begin() + 1, "main.cpp", filled(text_named("new/main.cpp.in"), values));
  fs::create_directories(folder);
  std::vector<std::string> names;
  if (from.joined) {
    fovea::save_safetensors(folder / "weights.safetensors", from.tensors);
    names.emplace_back("weights.safetensors");
  }
  for (const auto& [file, text] : files) {
    std::ofstream out(folder / file, std::ios::binary);
    if (!(out << text).flush()) throw failure((folder / file).string() + ": cannot be written");
    names.push_back(file);
  }
  return names;
}

} // namespace tool
