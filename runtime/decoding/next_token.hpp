#pragma once

#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace fovea::core {

using token_ids = std::vector<token_id>;

/// What a model says of the tokens that come next: a view [rows, positions, vocabulary] of scores whose
/// softmax gives the probabilities (logits; logarithms of probabilities are as good). Minus infinity:
/// impossible.
class token_scores {
public:
  /// Row-major; `row_stride` is the distance between rows where it is more than positions * vocabulary.
  token_scores(const float* first, std::size_t rows, std::size_t positions, std::size_t vocabulary,
               std::size_t row_stride = 0)
      : first_(first), rows_(rows), positions_(positions), vocabulary_(vocabulary),
        row_stride_(row_stride == 0 ? positions * vocabulary : row_stride) {}

  std::size_t rows() const { return rows_; }
  std::size_t positions() const { return positions_; }
  std::size_t vocabulary() const { return vocabulary_; }

  std::span<const float> at(std::size_t row, std::size_t position) const {
    return {first_ + row * row_stride_ + position * vocabulary_, vocabulary_};
  }
  /// After everything that the row has read.
  std::span<const float> last(std::size_t row) const { return at(row, positions_ - 1); }
  /// Those of `count` positions from the given one on.
  token_scores part(std::size_t position, std::size_t count) const {
    return {first_ + position * vocabulary_, rows_, count, vocabulary_, row_stride_};
  }

private:
  const float* first_;
  std::size_t rows_, positions_, vocabulary_, row_stride_;
};

/// All that decoding asks of a model: it reads texts, a row each, and says what may come next.
///   begin(rows)    starts that many empty texts (of an encoder-decoder, one for each source)
///   step(ids)      reads n more ids of each row, ids [rows, n], and gives the scores after each of them,
///                  [rows, n, vocabulary], or after the last of them alone, [rows, 1, vocabulary], which is
///                  all that most decoding needs; valid until the next call
///   reorder(from)  row i goes on from what row from[i] has read; there are from.size() rows then, fewer or
///                  more; called after a step
/// and where it knows,
///   most_rows()    the most rows that it has room for
template <class M>
concept next_token_model = requires(M& model, std::size_t rows, std::span<const token_id> ids,
                                    std::span<const std::size_t> from) {
  model.begin(rows);
  { model.step(ids) } -> std::same_as<token_scores>;
  model.reorder(from);
};

/// One that can take back what it has read:
///   rewind(n)      the newest n ids of each row have not been read
template <class M>
concept rewindable_model = next_token_model<M> && requires(M& model, std::size_t n) {
  model.rewind(n);
};

/// Row i of what is kept for each row becomes a copy of row from[i].
template <class T>
void reorder_rows(std::vector<T>& rows, std::span<const std::size_t> from) {
  std::vector<T> reordered;
  reordered.reserve(from.size());
  for (const std::size_t i : from) reordered.push_back(rows[i]);
  rows = std::move(reordered);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::next_token_model, core::rewindable_model, core::token_ids, core::token_scores;
} // namespace fovea
