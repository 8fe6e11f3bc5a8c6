#include <fovea/runtime/training/window_batches.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/random.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace fovea::core {

window_batches::window_batches(token_text text, window_options options)
    : text_(std::move(text)), options_(options) {
  if (options_.rows == 0 || options_.length == 0)
    throw error("expected batches of at least one row, and windows of at least one token; found " +
                std::to_string(options_.rows) + " and " + std::to_string(options_.length));
  if (text_.size() <= options_.length)
    throw error("expected a text of more than " + std::to_string(options_.length) +
                " tokens, the length of a window; found " + std::to_string(text_.size()));
}

template <class F>
token_batch window_batches::made(std::size_t rows, std::size_t length, F first_of) const {
  auto tokens = xt::xtensor<std::int32_t, 2>::from_shape({rows, length});
  token_batch batch{tokens, tokens};
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = first_of(row);
    text_.copy(first, {&batch.tokens(row, 0), length}, options_.vocabulary);
    text_.copy(first + 1, {&batch.targets(row, 0), length}, options_.vocabulary);
  }
  return batch;
}

token_batch window_batches::drawn(std::uint64_t i) const {
  const auto places = static_cast<double>(text_.size() - options_.length);
  return made(options_.rows, options_.length, [&](std::size_t row) {
    return static_cast<std::size_t>(uniform(options_.seed, i, options_.first_row + row) * places);
  });
}

std::size_t window_batches::count() const { return (windows() + options_.rows - 1) / options_.rows; }

token_batch window_batches::following(std::size_t i) const {
  const std::size_t first = i * options_.rows, rows = std::min(options_.rows, windows() - first);
  return made(rows, options_.length, [&](std::size_t row) { return (first + row) * options_.length; });
}

std::size_t window_batches::row_length() const {
  if (text_.size() <= options_.rows)
    throw error("expected a text of more than " + std::to_string(options_.rows) +
                " tokens, to be read as so many rows; found " + std::to_string(text_.size()));
  return (text_.size() - 1) / options_.rows;
}

std::size_t window_batches::side_by_side_count() const {
  return (row_length() + options_.length - 1) / options_.length;
}

token_batch window_batches::side_by_side(std::size_t i) const {
  const std::size_t first = i * options_.length, length = std::min(options_.length, row_length() - first);
  return made(options_.rows, length, [&](std::size_t row) { return row * row_length() + first; });
}

} // namespace fovea::core
