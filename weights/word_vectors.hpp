#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/weights/weight_file.hpp>
#include <fovea/weights/weights.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core {

/// Words and their vectors, as word2vec (Mikolov et al. 2013) and GloVe (Pennington et al. 2014) write them.
class word_vectors {
public:
  /// Row i of `vectors`, [words, width], is the vector of word i. Throws fovea::error that names `source`
  /// when the sizes do not fit.
  word_vectors(std::vector<std::string> words, std::vector<float> vectors, std::size_t width,
               const std::string& source = "word vectors");

  const std::vector<std::string>& words() const { return words_; }
  std::size_t width() const { return width_; }
  std::span<const float> row(std::size_t i) const { return std::span(vectors_).subspan(i * width_, width_); }
  /// The row of a word; the first of them where it occurs twice, as it does in published files; nothing for
  /// an unknown word.
  std::optional<std::size_t> find(std::string_view word) const;

  /// A table [vocabulary, width] for a vocabulary in its own order, such as a static channel takes. A word
  /// without a vector has `unknown`, of this width, or zeros.
  weight_tensor table(std::span<const std::string> vocabulary, std::span<const float> unknown = {}) const;

private:
  std::vector<std::string> words_;
  std::vector<float> vectors_;
  std::size_t width_;
  std::vector<std::size_t> by_word_; // rows, sorted by word
};

/// Reads word2vec's text format (a first line "words width", then on each line a word and its numbers), its
/// binary format (the same line, then each word, a space and its float32 numbers), or GloVe's text (without
/// the first line). Words are bytes and may hold spaces in GloVe's. Throws fovea::error that names the file,
/// the line or word, what was expected and what was found.
word_vectors load_word_vectors(const file_path& path);

/// Whether the file begins as one of these formats does.
bool is_word_vectors(std::span<const std::byte> file);

/// All vectors as one tensor, "vectors" [words, width].
weight_file read_word_vectors(const opened_file& file);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::load_word_vectors, core::word_vectors;
} // namespace fovea
