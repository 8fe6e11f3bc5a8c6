#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/runtime/weights/gguf_metadata.hpp>

namespace fovea {

/// The tokenizer that a GGUF file's metadata describes (`tokenizer.ggml.*`): byte-level BPE ("gpt2", with
/// the words of GPT-2, Llama 3 or Qwen 2), SentencePiece's BPE with scores and byte fallback ("llama"),
/// WordPiece ("bert"). `encode` puts around a text what `add_bos_token` and `add_eos_token` ask for (by
/// default the beginning with "llama"), with "bert" [CLS] and [SEP]. Throws fovea::error that names the file,
/// and what in it is missing, malformed or not supported.
tokenizer gguf_tokenizer(const gguf_metadata& metadata);

} // namespace fovea
