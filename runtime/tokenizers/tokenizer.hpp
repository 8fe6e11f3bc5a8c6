#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::core {

/// A text as a model takes it; both lists have one entry a token.
struct token_encoding {
  std::vector<token_id> ids;
  std::vector<token_id> type_ids; // 0 for the first text of a pair, 1 for the second
};

struct encode_options {
  bool special = true;        // put the special tokens of the model around the text ([CLS] ... [SEP])
  std::size_t max_length = 0; // cut to that many tokens, special ones counted and kept; 0: no limit
};

/// The tokenizer of a model: a cheap handle to immutable, shared state. All members may be called from
/// several threads at once.
class tokenizer {
public:
  /// Throws fovea::error when the text is not UTF-8 (with the byte offset) or max_length has no room for the
  /// special tokens. A special token spelt out in the text becomes that token. Truncation and padding that
  /// the file asks for are left to the caller.
  token_encoding encode(std::string_view text, encode_options options = {}) const;
  /// Two texts for a model that compares them. Too long a pair loses tokens of the longer text first.
  token_encoding encode_pair(std::string_view first, std::string_view second,
                             encode_options options = {}) const;

  /// The text of these ids; bytes that make no UTF-8 become U+FFFD. Throws fovea::error for an id outside the
  /// vocabulary.
  std::string decode(std::span<const token_id> ids, bool skip_special = true) const;

  /// One more than the greatest id, added tokens included.
  std::size_t vocabulary_size() const;
  std::optional<token_id> id(std::string_view token) const;
  /// As the vocabulary spells it ("##ing", "Ġthe"). Throws fovea::error for an id outside the vocabulary.
  std::string_view token(token_id id) const;

  /// The stages that make it (state.hpp), filled by those who read and train tokenizers.
  struct state;
  explicit tokenizer(std::shared_ptr<state> shared) : state_(std::move(shared)) {}
  const state& stages() const { return *state_; }

private:
  friend class text_stream;
  std::vector<token_id> words_of(std::string_view text) const;
  void append_text(token_id id, bool skip_special, bool& first, std::string& bytes) const;

  std::shared_ptr<state> state_;
};

/// Reads the tokenizer of a model from
///   * a `tokenizer.json` of Hugging Face tokenizers: WordPiece, BPE over bytes or characters, Unigram, whole
///     words, with the normalisers, pre-tokenisers and decoders that go with them;
///   * a SentencePiece `.model` (sentence_piece.hpp);
///   * a GGUF file's metadata (gguf_tokenizer.hpp), or a file of packed weights, in whose tables it looks up where they lie
///     (packed_tokenizer.hpp);
///   * llama2.c's tokenizer, in a file whose name ends in `.bin` (llama2c_tokenizer.hpp).
/// The first three are told by their content. Throws fovea::error that names the file and what in it is
/// malformed, not supported, or out of proportion: what a text costs to encode grows with its length alone,
/// whatever the file (normalizer.hpp and token_trie.hpp have the bounds).
tokenizer load_tokenizer(const file_path& path);

/// The same of a file's content, such as an array that is compiled into the program; `name` is what messages call
/// it, and ends in ".bin" where it is llama2.c's. Without `copy` it must live as long as the tokenizer.
tokenizer load_tokenizer(std::span<const std::byte> bytes, const std::string& name = "tokenizer in memory",
                         load_options how = {.copy = true});

/// A tokenizer.json from its text; `source` is what messages call it.
tokenizer parse_tokenizer(std::string_view json, const std::string& source = "tokenizer");

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::encode_options, core::load_tokenizer, core::parse_tokenizer, core::token_encoding,
    core::tokenizer;
} // namespace fovea
