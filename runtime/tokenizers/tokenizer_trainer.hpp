#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fovea::core {

// What a tokenizer is made of texts as. Special tokens have the first ids, in their order; `unknown` is put
// in front of them where it is none of them.

/// Byte-level BPE: the 256 bytes, then again and again the most frequent pair of neighbours within GPT-2's
/// words.
struct byte_pair_training {
  std::size_t size = 8000;       // of the vocabulary
  std::size_t minimum_count = 2; // of a pair that is joined
  std::vector<std::string> special{"<|endoftext|>"};
  bool prefix_space = false; // a space in front of every text that has none
};

/// WordPiece over BERT's normalised words, with pairs joined by their count as in Hugging Face tokenizers.
/// Where the special tokens are BERT's, `encode` puts [CLS] and [SEP] around a text.
struct word_piece_training {
  std::size_t size = 8000;
  std::size_t minimum_count = 2;
  std::vector<std::string> special{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  std::string unknown = "[UNK]";
  bool lower_case = true;        // and without accents
  std::size_t characters = 1000; // the most frequent ones are kept
};

/// Whole words between white space, the most frequent first, equal ones by their spelling.
struct word_training {
  std::size_t size = 0;          // the most tokens, special ones counted; 0: no limit
  std::size_t minimum_count = 1; // of a word that is a token
  std::vector<std::string> special{};
  std::string unknown = "<unk>"; // empty: an unknown word is an error
  bool lower_case = false;
  bool punctuation = false; // punctuation marks are words of their own
};

/// Single characters, in the order of their code points.
struct character_training {
  std::vector<std::string> special{};
  std::string unknown = "<unk>"; // empty: an unknown character is dropped
};

using tokenizer_training =
    std::variant<byte_pair_training, word_piece_training, word_training, character_training>;

/// Is told how many tokens there are, and how many there will be at most.
using training_progress = std::function<void(std::size_t done, std::size_t size)>;

/// Makes a tokenizer of a user's texts. The same texts in any order give the same tokenizer; byte-level BPE
/// is what Hugging Face tokenizers train, WordPiece too up to the order of equally frequent pairs, which they
/// leave to chance.
///
///     tokenizer_trainer trainer(byte_pair_training{.size = 8000});
///     trainer.add(text);
///     save_tokenizer("tokenizer.json", trainer.train());
class tokenizer_trainer {
public:
  /// Throws fovea::error for special tokens that are empty, no UTF-8 or come twice.
  explicit tokenizer_trainer(tokenizer_training how);
  ~tokenizer_trainer();
  tokenizer_trainer(tokenizer_trainer&&) noexcept;
  tokenizer_trainer& operator=(tokenizer_trainer&&) noexcept;

  /// Counts the words of one more text, to which a special token that it spells is text like any other.
  /// Throws fovea::error when it is not UTF-8; it is then not counted.
  void add(std::string_view text);

  /// Throws fovea::error when no text had a word, or the size has no room for the single characters.
  tokenizer train(const training_progress& progress = {}) const;

private:
  struct counts;
  std::unique_ptr<counts> counts_;
};

/// The 256 bytes behind the special tokens: without any, a token's id is the byte. Nothing is unknown to it.
tokenizer byte_tokenizer(const std::vector<std::string>& special = {});

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::byte_pair_training, core::byte_tokenizer, core::character_training, core::tokenizer_trainer,
    core::tokenizer_training, core::training_progress, core::word_piece_training, core::word_training;
} // namespace fovea
