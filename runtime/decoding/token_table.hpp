#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/runtime/decoding/next_token.hpp>

namespace fovea::core {

/// A table as a model of the next token: scores [steps, vocabulary, vocabulary] by how many ids a row has
/// read before, by the last of them, and by the next one. The last step's table holds for all later steps, so
/// one step is a Markov chain.
class token_table {
public:
  /// Throws fovea::error where the shape is not [at least 1, n, n], n at least 1.
  explicit token_table(xt::xtensor<float, 3> scores);

  void begin(std::size_t rows);
  /// Throws fovea::error for an id outside the table.
  token_scores step(std::span<const token_id> ids);
  void reorder(std::span<const std::size_t> from) { rows_ = from.size(); }
  void rewind(std::size_t count) { read_ -= count; }

private:
  xt::xtensor<float, 3> scores_;
  std::size_t rows_ = 0, read_ = 0;
  std::vector<float> next_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::token_table;
} // namespace fovea
