#include "inspection.hpp"

#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/runtime/tokenizers/packed_tokenizer.hpp>
#include <fovea/runtime/tokenizers/state.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/packed_weights.hpp>
#include <fovea/weights/training_names.hpp>
#include <fovea/weights/weight_file.hpp>

#include <program/text.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

namespace tool {
namespace {

namespace fs = std::filesystem;
using fovea::core::mapped_file;
using nlohmann::json;

std::string kind_of(const fovea::tokenizer::state& stages) {
  static constexpr std::array names{"nothing", "WordPiece", "BPE", "Unigram", "words"};
  return names[stages.model.index()];
}

tokenizer_facts facts_of(const fovea::tokenizer& tokens, const fs::path& file) {
  const auto& stages = tokens.stages();
  tokenizer_facts facts{file.filename().string(), kind_of(stages), tokens.vocabulary_size()};
  for (const fovea::token_id id : stages.special) facts.special.emplace_back(tokens.token(id), id);
  std::ranges::sort(facts.special, {}, &std::pair<std::string, int>::second);
  return facts;
}

/// BERT's list of tokens, one a line; what else a tokenizer does is not written there.
tokenizer_facts facts_of_list(const fs::path& file) {
  const std::vector<std::string> lines = program::lines_of(file.string());
  tokenizer_facts facts{file.filename().string(), "a list of WordPiece's tokens", lines.size()};
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].size() > 2 && lines[i].front() == '[' && lines[i].back() == ']' &&
        !lines[i].starts_with("[unused"))
      facts.special.emplace_back(lines[i], static_cast<int>(i));
  return facts;
}

void add_gguf(inspection& made, const fs::path& path) {
  const fovea::gguf_metadata keys = fovea::core::gguf_file(path).metadata();
  for (const auto& [key, length] : keys.array_lengths())
    made.metadata.emplace(key, "an array of " + std::to_string(length));
  using namespace fovea::core::packed_keys;
  if (keys.contains(version))
    made.what = "weights packed in " + std::string(keys.text(format).value_or("an unknown format")) +
                " for " + std::string(keys.text(set).value_or("an unknown set"));
  else
    made.what = "GGUF weights of a " +
                std::string(keys.text("general.architecture").value_or("model without a name"));
  if (keys.contains("tokenizer.ggml.model") || fovea::core::has_packed_tokenizer(keys))
    made.tokenizer = facts_of(fovea::load_tokenizer(path), path);
}

bool of_training(const fovea::model_weights& weights) {
  return weights.metadata().contains(std::string(fovea::core::step_note)) ||
         std::ranges::any_of(weights.tensors(),
                             [](const auto& one) { return fovea::core::is_of_training(one.first); });
}

/// Weights, `format` by their first file.
void add_weights(inspection& made, const fs::path& path, std::string_view format) {
  made.weights = fovea::load_weights(path);
  made.metadata = made.weights->metadata();
  made.what = std::string(format) + (format == "word vectors" ? "" : " weights");
  if (of_training(*made.weights)) made.what = "a checkpoint of training, " + made.what;
  if (format == "GGUF") add_gguf(made, path);
}

void add_config(inspection& made, const fs::path& path) {
  const fovea::core::json_document config = fovea::core::load_json(path);
  if (!config->is_object()) throw fovea::error(path.string() + ": expected an object of settings");
  made.config = *config;
}

/// A text of config.json's, or nothing.
std::string setting(const nlohmann::ordered_json& config, const char* key) {
  const auto found = config.find(key);
  if (found == config.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  return found->is_array() && !found->empty() && found->front().is_string()
             ? found->front().get<std::string>()
             : "";
}

std::string architecture_of(const nlohmann::ordered_json& config) {
  const std::string name = setting(config, "architectures");
  return name.empty() ? setting(config, "model_type") : name;
}

void add_modules(inspection& made, const fs::path& path) {
  const fovea::core::json_document modules = fovea::core::load_json(path);
  if (!modules->is_array()) throw fovea::error(path.string() + ": expected a list of modules");
  for (const json& one : *modules) {
    if (!one.is_object() || !one.contains("type") || !one["type"].is_string())
      throw fovea::error(path.string() + ": expected each module to have a type; found " +
                         fovea::core::shown(one));
    made.modules.push_back(one["type"].get<std::string>());
  }
}

inspection of_folder(const fs::path& folder) {
  inspection made{folder, "a folder"};
  const auto has = [&](const char* name) { return fs::exists(folder / name); };
  if (has("model.safetensors"))
    add_weights(made, folder, "safetensors");
  else if (has("model.safetensors.index.json"))
    add_weights(made, folder, "safetensors in shards");
  if (has("config.json")) add_config(made, folder / "config.json");
  if (has("modules.json")) add_modules(made, folder / "modules.json");
  for (const char* name : {"tokenizer.json", "tokenizer.model", "spiece.model"})
    if (!made.tokenizer && has(name))
      made.tokenizer = facts_of(fovea::load_tokenizer(folder / name), folder / name);
  if (!made.tokenizer && has("vocab.txt")) made.tokenizer = facts_of_list(folder / "vocab.txt");
  if (!made.weights && made.config.is_null() && !made.tokenizer)
    throw fovea::error(folder.string() +
                       ": expected the folder to hold model.safetensors, model.safetensors.index.json, "
                       "config.json, tokenizer.json or tokenizer.model");
  const std::string architecture = architecture_of(made.config);
  made.what = (made.modules.empty() ? "a folder" : "a folder of a sentence encoder") +
              (architecture.empty() ? "" : ", " + architecture) + (made.weights ? ", " + made.what : "");
  return made;
}

/// JSON is told by what it names.
void add_json_file(inspection& made, const fs::path& path) {
  const fovea::core::json_document content = fovea::core::load_json(path);
  if (content->contains("weight_map")) return add_weights(made, path, "safetensors in shards");
  if (content->contains("model") && content->at("model").is_object()) {
    made.tokenizer = facts_of(fovea::load_tokenizer(path), path);
    made.what = "a tokenizer of Hugging Face";
  } else if (content->contains("model_type") || content->contains("architectures")) {
    add_config(made, path);
    made.what = "settings of " + architecture_of(made.config);
  } else {
    add_weights(made, path, "RTNeural");
  }
}

} // namespace

inspection inspect(const fs::path& path) {
  if (fs::is_directory(path)) return of_folder(path);
  inspection made{path, ""};
  const mapped_file file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  const std::string_view format = fovea::core::weight_format_name(file.bytes());
  if (path.filename() == "vocab.txt") {
    made.tokenizer = facts_of_list(path);
    made.what = "a vocabulary";
  } else if (format == "RTNeural") {
    add_json_file(made, path);
  } else if (!format.empty() || path.extension() == ".safetensors" || path.extension() == ".gguf") {
    add_weights(made, path, format);
  } else if (path.extension() == ".bin" || text.starts_with('\n')) {
    made.tokenizer = facts_of(fovea::load_tokenizer(path), path);
    made.what = text.starts_with('\n') ? "a tokenizer of SentencePiece" : "a tokenizer of llama2.c";
  } else {
    throw fovea::error(
        path.string() +
        ": expected weights or a tokenizer in a known format (safetensors, GGUF, llama2.c's or "
        "rwkv.cpp's .bin, RTNeural's JSON, word vectors, tokenizer.json, SentencePiece's "
        ".model, vocab.txt); found " +
        (text.empty() ? "an empty file" : "another"));
  }
  return made;
}

} // namespace tool
