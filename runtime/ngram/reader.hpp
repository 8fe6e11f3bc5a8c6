#pragma once

#include <fovea/runtime/ngram/ngram.hpp>

namespace fovea::core {

/// An n-gram model as a model of the next token: what decoding (runtime/decoding/) asks of any language
/// model. Its scores are logarithms of probabilities. The model lives as long as the reader.
class ngram_reader {
public:
  explicit ngram_reader(const ngram& model) : model_(model) {}

  void begin(std::size_t rows) {
    read_.assign(rows, {});
    contexts_.assign(rows, {});
  }
  /// Throws fovea::error for an id outside the vocabulary.
  token_scores step(std::span<const token_id> ids);
  void reorder(std::span<const std::size_t> from) {
    reorder_rows(read_, from);
    reorder_rows(contexts_, from);
  }
  void rewind(std::size_t count);

private:
  const ngram& model_;
  std::vector<token_ids> read_, contexts_; // of each row; the last tokens of it, those that matter
  std::vector<double> probabilities_;
  std::vector<float> scores_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::ngram_reader;
} // namespace fovea
