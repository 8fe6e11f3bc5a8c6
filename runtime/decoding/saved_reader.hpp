#pragma once

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>

#include <string>
#include <utility>

namespace fovea::core {

/// A stream_reader of a stream that cannot be rewound itself: it saves the state before each step, and takes back of that
/// step alone. It then reads again what is left of it. Made as stream_reader is.
template <class S, class step_function, class begin_function = detail::begin_without_inputs>
class saved_reader {
public:
  saved_reader(S& stream, step_function step, begin_function begin = {})
      : stream_(stream), reader_(stream, std::move(step), std::move(begin)) {}

  void begin(std::size_t rows) {
    reader_.begin(rows);
    rows_ = rows;
    newest_.clear();
  }

  token_scores step(std::span<const token_id> ids) {
    saved_ = stream_.save();
    newest_.assign(ids.begin(), ids.end());
    return reader_.step(ids);
  }

  void reorder(std::span<const std::size_t> from) {
    reader_.reorder(from);
    rows_ = from.size();
    newest_.clear();
  }

  /// Throws fovea::error where that is more than the last step has read.
  void rewind(std::size_t count) {
    const std::size_t positions = newest_.size() / rows_;
    if (count > positions)
      throw error("saved_reader: expected to rewind at most the " + std::to_string(positions) +
                  " ids of the last step; found " + std::to_string(count));
    stream_.load(saved_);
    token_ids left;
    for (std::size_t row = 0; row < rows_; ++row)
      left.insert(left.end(), newest_.begin() + static_cast<std::ptrdiff_t>(row * positions),
                  newest_.begin() + static_cast<std::ptrdiff_t>((row + 1) * positions - count));
    if (!left.empty()) reader_.step(left);
    newest_ = std::move(left);
  }

  std::size_t most_rows() const { return reader_.most_rows(); }

private:
  S& stream_;
  stream_reader<S, step_function, begin_function> reader_;
  decltype(std::declval<const S&>().save()) saved_;
  token_ids newest_; // of the last step, [rows_, positions]
  std::size_t rows_ = 1;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::saved_reader;
} // namespace fovea
