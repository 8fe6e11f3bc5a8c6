#include "project.hpp"

#include "../embedded_text.hpp"
#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/safetensors.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <set>

namespace tool {
namespace {

namespace fs = std::filesystem;

/// A name for the program and its namespace, from that of the folder.
std::string identifier_of(const fs::path& folder) {
  static const std::set<std::string> taken{
      "all",      "and",     "auto",    "bool",     "break",    "case",    "catch",    "char",    "class",
      "clean",    "const",   "default", "delete",   "dim",      "do",      "double",   "else",    "encoder",
      "decoder",  "enum",    "export",  "expr",     "false",    "float",   "for",      "fovea",   "friend",
      "goto",     "graph",   "help",    "if",       "inline",   "install", "int",      "long",    "model",
      "mutable",  "names",   "new",     "not",      "operator", "or",      "package",  "private", "public",
      "register", "return",  "short",   "signed",   "sizeof",   "static",  "std",      "struct",  "switch",
      "template", "test",    "this",    "throw",    "true",     "try",     "typename", "union",   "unsigned",
      "using",    "virtual", "void",    "volatile", "while",    "xor",     "xt"};
  std::string name;
  for (const unsigned char c : folder.filename().string())
    name += std::isalnum(c) != 0 && c < 128 ? static_cast<char>(c) : '_';
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
  const char *ours, *theirs, *as;
};
constexpr alias inputs[] = {{"tokens", "input_ids", "input_ids"},
                            {"tokens", "ids", "ids"},
                            {"types", "token_type_ids", "token_type_ids"},
                            {"lengths", "attention_mask", "count(attention_mask)"},
                            {"source_ids", "input_ids", "input_ids"},
                            {"source_ids", "ids", "ids"},
                            {"source_lengths", "attention_mask", "count(attention_mask)"},
                            {"decoder_ids", "decoder_input_ids", "decoder_input_ids"}};
constexpr alias outputs[] = {{"hidden", "last_hidden_state", "last_hidden_state"},
                             {"pooled", "pooler_output", "pooler_output"},
                             {"sentence", "sentence_embedding", "sentence_embedding"},
                             {"memory", "encoder_last_hidden_state", "encoder_last_hidden_state"}};

/// What the test of the project gives `fovea check` beside a model of this text.
std::string check_words(const checkpoint& from, const std::string& model) {
  if (from.reference.empty()) return "";
  const fovea::core::safetensors_file file(from.reference);
  std::string words = " --reference " + quoted(from.reference.string());
  std::set<std::string> named;
  const auto add = [&](const alias& one, const std::string& what) {
    const auto has = [&](const char* name) { return file.tensors().contains(what + "." + name); };
    const bool asked = model.find(fmt::format("(\"{}\", ", one.ours)) != model.npos;
    if (!asked || has(one.ours) || !has(one.theirs) || !named.insert(one.ours).second) return;
    words += fmt::format("\n  --{} \"{}={}\"", what, one.ours, one.as);
  };
  for (const alias& one : inputs) add(one, "input");
  for (const alias& one : outputs) add(one, "output");
  return words;
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
  set("model", plan.model), set("app", plan.app), set("stream", plan.stream);
  set("streams", flag_text(!plan.stream.empty()));
  const bool texts = !from.tokenizer.empty() && plan.app != "run" && plan.app != "translate";
  const std::string main = texts ? plan.app : "run";
  set("texts", flag_text(texts));
  set("types", "");
  set("gguf", "");
  set("weights",
      quoted(from.joined ? fs::weakly_canonical(fs::absolute(folder) / "weights.safetensors").string()
                         : from.weights.string()));
  set("tokenizer", quoted(from.tokenizer.string()));
  set("has_reference", flag_text(!from.reference.empty()));
  set("reference_text", from.reference.empty() ? "the backend `reference`, on inputs that are drawn"
                                               : "`reference.safetensors`");
  set("longest", from.longest_text > 0 ? std::to_string(from.longest_text) : name + "::context");
  set("passed_over", fmt::format("{}", fmt::join(plan.passed_over, ", ")));

  const std::string model = filled(text_named(plan.text), values);
  set("check_words", check_words(from, model));
  // All texts before the first file: what cannot be written leaves nothing.
  const std::vector<std::pair<std::string, std::string>> files{
      {"model.hpp", model},
      {"main.cpp", filled(text_named("new/main_" + main + ".cpp.in"), values)},
      {"CMakeLists.txt", filled(text_named("new/CMakeLists.txt.in"), values)},
      {"README.md", filled(text_named("new/README.md.in"), values)}};
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
