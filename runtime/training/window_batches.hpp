#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/runtime/training/token_text.hpp>

#include <cstdint>

namespace fovea::core {

/// Tokens and what comes after each of them, both [rows, length].
struct token_batch {
  xt::xtensor<std::int32_t, 2> tokens, targets;
};

struct window_options {
  std::size_t rows = 1, length = 1;
  std::size_t vocabulary = 1;
  std::uint64_t seed = 0;
  std::size_t first_row = 0; // of those that are drawn: who takes a share of a batch takes rows from there on
};

/// A long text in batches of windows.
class window_batches {
public:
  /// Throws fovea::error where the text has no window and a token after it, and of no rows or tokens.
  window_batches(token_text text, window_options options);

  /// Batch number i of an endless sequence, each window drawn from all alike: a function of the seed and i
  /// alone, so that whoever resumes at i goes on with the same.
  token_batch drawn(std::uint64_t i) const;

  /// The text's windows one behind the other, each once, and batch number i of them; the last one may have
  /// fewer rows. What is left over behind the last whole window belongs to none.
  std::size_t count() const;
  token_batch following(std::size_t i) const;

  /// The text as `rows` texts side by side, read on from batch to batch: row r of batch i goes on where row r
  /// of the batch before it ended, for batches 0 to side_by_side_count() - 1, the last of which may be
  /// shorter. What is left over, fewer tokens than rows, belongs to none. Throws fovea::error where a row has no token.
  std::size_t side_by_side_count() const;
  token_batch side_by_side(std::size_t i) const;

private:
  std::size_t windows() const { return (text_.size() - 1) / options_.length; }
  std::size_t row_length() const;
  template <class F>
  token_batch made(std::size_t rows, std::size_t length, F first_of) const;

  token_text text_;
  window_options options_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::token_batch, core::window_batches, core::window_options;
} // namespace fovea
