#include "project.hpp"

#include "../embedded_text.hpp"
#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/safetensors.hpp>

#include <fmt/format.h>

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
