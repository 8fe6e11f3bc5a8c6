#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/weights/save_packed.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace fovea::core {

/// What a file of packed weights has of a tokenizer (packed_tokenizer.hpp).
struct packed_tokenizer {
  std::string stages;                          // tokenizer.json without vocabulary and merges
  std::map<std::string, stored_tensor> tables; // live as long as `words`
  tokenizer words;
};

/// That of a file which load_tokenizer reads. Nothing where no tokenizer.json says the same: of SentencePiece's own files,
/// of llama2.c's, of GGUF files whose words are cut as no tokenizer.json cuts them. Throws fovea::error as load_tokenizer does.
std::optional<packed_tokenizer> pack_tokenizer(const file_path& path);

/// The files that packed weights and their tokenizer are of; without one it is that of the weights' own GGUF file.
struct packed_sources {
  std::filesystem::path weights, tokenizer = {};
};
/// save_packed with what the sources have beside the weights: the keys of a GGUF file, and a tokenizer that can be packed.
void save_packed(const file_path& path, const graph_view& declared, const model_weights& source,
                 std::span<const name_rule> names, weight_format format, const panel_set& set,
                 const packed_sources& from);

} // namespace fovea::core
