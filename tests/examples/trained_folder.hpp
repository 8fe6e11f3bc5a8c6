#pragma once

// A folder as a program's train.py writes it, with weights that look random.

#include "../compare_backends.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/weights/safetensors.hpp>

#include <nlohmann/json.hpp>

namespace fovea::core::test {

/// A tokenizer.json of whole words after <pad>, <s>, </s> and <unk>.
inline std::string word_tokenizer(const std::vector<std::string>& words, const char* splitter) {
  nlohmann::json vocabulary, added = nlohmann::json::array();
  int id = 0;
  for (const char* special : {"<pad>", "<s>", "</s>", "<unk>"}) {
    added.push_back({{"id", id}, {"content", special}, {"special", true}});
    vocabulary[special] = id++;
  }
  for (const std::string& word : words) vocabulary[word] = id++;
  return nlohmann::json{{"version", "1.0"},
                        {"added_tokens", added},
                        {"pre_tokenizer", {{"type", splitter}}},
                        {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "<unk>"}}}}
      .dump();
}

/// Writes weights.safetensors, values within `scale`, and sizes.json.
template <class M>
void write_trained(const temporary_folder& folder, const M& model, const nlohmann::json& sizes, float scale) {
  auto tensors = random_tensors(model);
  std::map<std::string, stored_tensor> stored;
  for (auto& [name, tensor] : tensors) {
    for (float& x : tensor.values) x *= scale;
    stored[name] = {element_type::f32, tensor.shape, std::as_bytes(std::span(tensor.values))};
  }
  save_safetensors(folder / "weights.safetensors", stored);
  folder.write("sizes.json", sizes.dump());
}

} // namespace fovea::core::test
