#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/weights/gguf_metadata.hpp>

namespace fovea::core {

/// The tokenizer that a GGUF file's metadata describes (`tokenizer.ggml.*`): byte-level BPE ("gpt2", with
/// the words of `pre` as llama.cpp cuts them, ggml_words.hpp; without it GPT-2's), SentencePiece's BPE with
/// scores and byte fallback ("llama"), WordPiece ("bert"). `encode` puts around a text what `add_bos_token`
/// and `add_eos_token` ask for (where they say nothing, the beginning with "llama" and the words of Llama 3
/// and Tekken), with "bert" [CLS] and [SEP]. Throws fovea::error that names the file, and what in it is
/// missing, malformed or not supported.
tokenizer gguf_tokenizer(const gguf_metadata& metadata);

} // namespace fovea::core
