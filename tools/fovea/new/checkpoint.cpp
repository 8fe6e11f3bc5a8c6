#include "checkpoint.hpp"

#include "config_json.hpp"
#include "family.hpp"

#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/weights/gguf.hpp>

#include <fnmatch.h>

#include <algorithm>

namespace tool {
namespace {

namespace fs = std::filesystem;
using fovea::core::in_quotes;
using nlohmann::json;

settings read_settings(const fs::path& path) { return {load_config_json(path), path.string()}; }

/// The folders of modules are beside modules.json.
fs::path folder_of_module(const fs::path& root, const json& module, const std::string& source) {
  const auto path = module.find("path");
  if (path == module.end() || !path->is_string())
    throw failure(source + ": expected each module to have a path");
  const fs::path name = path->get<std::string>();
  const bool inside =
      name.is_relative() && std::ranges::none_of(name, [](const fs::path& part) { return part == ".."; });
  if (!inside)
    throw failure(source + ": expected the path of a module inside the folder; found " +
                  in_quotes(name.string()));
  return root / name;
}

std::vector<sentence_module> read_modules(const fs::path& root) {
  using kind = sentence_module::kind;
  static const std::map<std::string, kind> known{
      {"Pooling", kind::pooling}, {"Dense", kind::dense}, {"Normalize", kind::normalize}};
  const std::string source = (root / "modules.json").string();
  const fovea::core::json_document all = fovea::core::load_json(root / "modules.json");
  if (!all->is_array() || all->empty()) throw failure(source + ": expected a list of modules");
  std::vector<sentence_module> modules;
  for (const json& one : *all) {
    if (!one.is_object() || !one.contains("type") || !one["type"].is_string())
      throw failure(source + ": expected each module to have a type");
    const std::string type = one["type"].get<std::string>(), name = type.substr(type.rfind('.') + 1);
    const bool first = &one == &all->front();
    if (first != (name == "Transformer"))
      throw failure(source + ": expected " +
                    (first ? "a Transformer as the first module" : "one Transformer, the first module") +
                    "; found " + in_quotes(type));
    if (first) continue;
    const auto found = known.find(name);
    if (found == known.end())
      throw failure(source + ": expected modules of Pooling, Dense and Normalize; found " + in_quotes(type));
    const fs::path folder = folder_of_module(root, one, source);
    if (found->second == kind::normalize)
      modules.push_back({found->second, settings(json::object(), source), folder});
    else
      modules.push_back({found->second, read_settings(folder / "config.json"), folder});
  }
  return modules;
}

checkpoint open_folder(const fs::path& folder) {
  if (!fs::exists(folder / "config.json"))
    throw failure(folder.string() + ": expected the folder to hold config.json, as those of Hugging Face do");
  settings config = read_settings(folder / "config.json");
  const std::vector<std::string> architectures = config.texts("architectures");
  if (architectures.empty())
    config.fail("architectures", "expected the name of a class, as in [\"BertModel\"]; there is none");
  expect_known(architectures.front(), false, config); // before the weights, which may be large
  checkpoint made(folder, std::move(config), fovea::load_weights(folder));
  if (fs::exists(folder / "model.safetensors")) made.weights = folder / "model.safetensors";
  made.architecture = architectures.front();
  for (const char* name : {"tokenizer.json", "tokenizer.model", "spiece.model"})
    if (made.tokenizer.empty() && fs::exists(folder / name)) made.tokenizer = folder / name;
  if (fs::exists(folder / "reference.safetensors")) made.reference = folder / "reference.safetensors";
  if (fs::exists(folder / "modules.json")) made.modules = read_modules(folder);
  if (const fs::path about = folder / "sentence_bert_config.json"; made.modules && fs::exists(about)) {
    settings said = read_settings(about);
    made.longest_text = said.whole("max_seq_length", 0);
    said.pass_over({"do_lower_case"}); // the tokenizer says it too
    said.finish("sentence encoder");
  }
  return made;
}

/// The keys of a GGUF file as settings, each number as what it is.
json settings_in(const fovea::gguf_metadata& keys) {
  json made = json::object();
  for (const auto& [key, text] : keys.as_texts()) {
    try {
      if (const auto number = keys.number(key)) made[key] = *number;
      if (const auto whole = keys.integer(key)) made[key] = *whole;
    } catch (const fovea::error&) { // of another type
    }
    if (!made.contains(key)) made[key] = text;
  }
  constexpr std::size_t longest_list = 4096; // of what is no setting of the network there are longer ones
  for (const auto& [key, length] : keys.array_lengths()) {
    made[key] = "an array of " + std::to_string(length);
    try {
      if (length <= longest_list) made[key] = *keys.numbers(key);
    } catch (const fovea::error&) { // of another type
    }
  }
  return made;
}

checkpoint open_gguf(const fs::path& path) {
  const fovea::gguf_metadata keys = fovea::core::gguf_file(path).metadata();
  const auto architecture = keys.text("general.architecture");
  if (!architecture)
    throw failure(path.string() + ": expected the key 'general.architecture'; there is none");
  settings config(settings_in(keys), path.string());
  expect_known(*architecture, true, config);
  checkpoint made(path, std::move(config), fovea::load_weights(path));
  made.gguf = true;
  made.architecture = *architecture;
  if (keys.contains("tokenizer.ggml.model")) made.tokenizer = path;
  if (const fs::path beside = path.parent_path() / "reference.safetensors"; fs::exists(beside))
    made.reference = beside;
  // What the file says of itself, and of its tokenizer, is no setting of the network.
  for (const char* beginning : {"general.", "tokenizer.", "quantize."})
    made.config.pass_over_beginning(beginning);
  return made;
}

/// What says the settings, beside the file of the tensors.
std::string settings_of(const checkpoint& from) {
  return from.gguf ? "the file's keys" : fs::path(from.config.source()).filename().string();
}

} // namespace

checkpoint open_checkpoint(const fs::path& path) {
  const fs::path whole = fs::weakly_canonical(fs::absolute(path));
  if (fs::is_directory(whole)) return open_folder(whole);
  if (!fs::exists(whole)) throw failure("there is no " + path.string());
  if (whole.extension() == ".gguf") return open_gguf(whole);
  throw failure(path.string() + ": expected a folder of Hugging Face, or a GGUF file");
}

void checkpoint::add_part(const fs::path& file, const std::string& prefix) {
  parts_.push_back(fovea::load_weights(file));
  for (const auto& [name, tensor] : parts_.back().tensors())
    if (!tensors.emplace(prefix + name, tensor).second)
      throw failure(file.string() + ": tensor " + in_quotes(name) + " is one of the network, too, as " +
                    in_quotes(prefix + name));
  joined = true;
}

tensor_list::tensor_list(const checkpoint& from, const std::string& prefix) : from_(&from) {
  for (const auto& [name, tensor] : from.tensors) {
    names_.insert(name);
    if (!prefix.empty() && name.starts_with(prefix)) prefix_ = prefix;
  }
  left_ = names_;
}

void tensor_list::take_in(const std::string& beginning) {
  for (const auto& [name, tensor] : from_->tensors)
    if (name.starts_with(beginning)) names_.insert(name), left_.insert(name);
}

std::string tensor_list::name_in_file(const std::string& name) const {
  if (called_.empty()) return prefix_ + name;
  const std::size_t end = name.rfind('.'), first = std::min(name.find_first_of("0123456789"), end),
                    last = std::min(name.find_first_not_of("0123456789", first), end);
  const std::string layer = name.substr(first, last - first);
  const auto found =
      called_.find(name.substr(0, first) + (layer.empty() ? "" : "*") + name.substr(last, end - last));
  if (found == called_.end()) return name;
  std::string theirs = found->second;
  if (const std::size_t star = theirs.find('*'); star != std::string::npos) theirs.replace(star, 1, layer);
  return theirs + name.substr(end);
}

const std::string* tensor_list::find(const std::string& name) const {
  auto found = names_.find(name_in_file(name));
  if (found == names_.end()) found = names_.find(name);
  return found == names_.end() ? nullptr : &*found;
}

bool tensor_list::has(const std::string& name) const { return find(name) != nullptr; }

std::vector<int> tensor_list::shape_of(const std::string& name) {
  const std::string* found = find(name);
  if (found == nullptr)
    throw failure(from_->weights_of_file.source() + ": expected a tensor " + in_quotes(name_in_file(name)) +
                  "; there is none");
  std::vector<int> shape;
  for (const std::size_t size : from_->tensors.at(*found).shape) {
    if (size > std::size_t{1} << 30)
      throw failure(from_->weights_of_file.source() + ": tensor " + in_quotes(*found) + " has an axis of " +
                    std::to_string(size));
    shape.push_back(static_cast<int>(size));
  }
  left_.erase(*found);
  return shape;
}

int tensor_list::rows_of(const std::string& name) {
  const std::vector<int> shape = shape_of(name);
  if (shape.empty())
    throw failure(from_->weights_of_file.source() + ": tensor " + in_quotes(*find(name)) +
                  " is []; expected an axis");
  return shape.front();
}

void tensor_list::expect(const std::string& name, const std::vector<int>& shape) {
  if (shape_of(name) == shape) return;
  const std::string& found = *find(name);
  const std::vector<std::size_t> expected(shape.begin(), shape.end());
  throw failure(from_->weights_of_file.source() + ": tensor " + in_quotes(found) + " is " +
                fovea::core::shape_text(from_->tensors.at(found).shape) + "; expected " +
                fovea::core::shape_text(expected) + " by " + settings_of(*from_));
}

void tensor_list::expect_biased(const std::string& name, const std::vector<int>& shape) {
  expect(name + ".weight", shape);
  expect(name + ".bias", {shape.front()});
}

void tensor_list::pass_over(const std::string& pattern) {
  std::erase_if(left_, [&](const std::string& name) {
    const bool passed = ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    if (passed) passed_over_.push_back(name);
    return passed;
  });
}
void tensor_list::pass_over_quietly(const std::string& pattern) {
  std::erase_if(left_,
                [&](const std::string& name) { return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
}

void tensor_list::finish(std::string_view what) const {
  if (left_.empty()) return;
  throw failure(from_->weights_of_file.source() + ": tensor " + in_quotes(*left_.begin()) + " is none of a " +
                std::string(what) + " with the settings of " + settings_of(*from_));
}

} // namespace tool
