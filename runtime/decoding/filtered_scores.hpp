#pragma once

#include <fovea/runtime/decoding/next_token.hpp>

#include <algorithm>
#include <concepts>
#include <utility>

namespace fovea::core {

/// A model of the next token whose scores a filter changes, by what each row has read:
///
///   filtered_scores source(reader, [](std::span<const token_id> read, std::span<float> scores) {
///     scores[0] = -std::numeric_limits<float>::infinity(); // never
///   });
///
/// It says what comes after the last id alone. What decoding tells of probabilities is by the changed scores. The model
/// lives as long as this.
template <next_token_model M, std::invocable<std::span<const token_id>, std::span<float>> F>
class filtered_scores {
public:
  filtered_scores(M& model, F filter) : model_(model), filter_(std::move(filter)) {}

  void begin(std::size_t rows) {
    read_.assign(rows, {});
    model_.begin(rows);
  }

  token_scores step(std::span<const token_id> ids) {
    const token_scores scores = model_.step(ids);
    const std::size_t rows = read_.size(), positions = ids.size() / rows, vocabulary = scores.vocabulary();
    scores_.resize(rows * vocabulary);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto next = ids.subspan(row * positions, positions);
      read_[row].insert(read_[row].end(), next.begin(), next.end());
      const std::span<float> changed = std::span(scores_).subspan(row * vocabulary, vocabulary);
      std::ranges::copy(scores.last(row), changed.begin());
      filter_(std::span<const token_id>(read_[row]), changed);
    }
    return {scores_.data(), rows, 1, vocabulary};
  }

  void reorder(std::span<const std::size_t> from) {
    reorder_rows(read_, from);
    model_.reorder(from);
  }

  void rewind(std::size_t count) requires rewindable_model<M> {
    for (token_ids& read : read_) read.resize(read.size() - count);
    model_.rewind(count);
  }

  /// What stands behind and before the scores.
  M& model() { return model_; }
  F& filter() { return filter_; }

  std::size_t most_rows() const requires requires(const M& model) { model.most_rows(); }
  { return model_.most_rows(); }

private:
  M& model_;
  F filter_;
  std::vector<token_ids> read_;
  std::vector<float> scores_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::filtered_scores;
} // namespace fovea
