#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <string>

namespace fovea::core {

/// A tokenizer as the text of a `tokenizer.json`, which `load_tokenizer` and Hugging Face tokenizers read.
/// Throws fovea::error for a SentencePiece model and for a GGUF file's words other than those of GPT-2, Llama
/// 3 and Qwen 2: their own file is their only form.
std::string to_json(const tokenizer& tokens);

/// Writes it; the file is whole or what it was before. Throws fovea::error that names the file where the disk
/// refuses.
void save_tokenizer(const file_path& path, const tokenizer& tokens);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::save_tokenizer;
} // namespace fovea
