#pragma once

#include <fovea/runtime/chat/chat_template.hpp>
#include <fovea/runtime/chat/model_files.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>
#include <fovea/weights/gguf_metadata.hpp>

#include <optional>
#include <vector>

namespace fovea::core {

/// What the files of a model say of its conversations, beside how they are put to it.
struct chat_source {
  chat_tokens tokens;
  std::vector<token_id> ends; // tokens that end an answer
};

/// By the files beside a tokenizer: `tokenizer_config.json`, and `eos_token_id` of `generation_config.json`; or by a GGUF
/// file's metadata (`tokenizer.ggml.eos_token_id` and others). `otherwise` are tokens that they do not name. Throws
/// fovea::error that names the file.
chat_source chat_source_of(const model_files& files, const chat_tokens& otherwise = {});
chat_source chat_source_of(const gguf_metadata& keys, const chat_tokens& otherwise = {});

/// The template there, as chat_template::load finds it; nothing where there is none.
std::optional<chat_template> chat_template_in(const model_files& files, const chat_tokens& tokens);
std::optional<chat_template> chat_template_in(const gguf_metadata& keys, const chat_tokens& tokens);

} // namespace fovea::core
