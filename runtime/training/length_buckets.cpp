#include <fovea/runtime/training/length_buckets.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/training/shuffle.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace fovea::core {

length_buckets::length_buckets(std::vector<std::size_t> lengths, bucket_options options)
    : lengths_(std::move(lengths)), options_(options) {
  if (lengths_.empty()) throw error("expected examples to learn from; found none");
  if (options_.rows == 0 || options_.bucket == 0)
    throw error("expected batches of at least one row, and at least one in a bucket; found " +
                std::to_string(options_.rows) + " and " + std::to_string(options_.bucket));
  begin(0);
}

void length_buckets::begin(std::uint64_t epoch) {
  epoch_ = epoch;
  examples_ = shuffled(lengths_.size(), options_.seed, 2 * epoch);
  const std::size_t together = options_.rows * options_.bucket;
  for (std::size_t first = 0; first < examples_.size(); first += together) {
    const auto at = [&](std::size_t i) {
      return examples_.begin() + static_cast<std::ptrdiff_t>(std::min(i, examples_.size()));
    };
    std::stable_sort(at(first), at(first + together),
                     [&](std::size_t a, std::size_t b) { return lengths_[a] < lengths_[b]; });
  }
  order_ = shuffled(count(), options_.seed, 2 * epoch + 1);
}

std::span<const std::size_t> length_buckets::batch(std::uint64_t i) {
  if (i / count() != epoch_) begin(i / count());
  const std::size_t first = order_[i % count()] * options_.rows;
  return std::span(examples_).subspan(first, std::min(options_.rows, examples_.size() - first));
}

padded_lines padded(std::span<const token_ids> lines, std::span<const std::size_t> which, token_id padding) {
  std::size_t longest = 1;
  for (const std::size_t i : which) longest = std::max(longest, lines[i].size());
  padded_lines made{xt::xtensor<std::int32_t, 2>({which.size(), longest}, padding),
                    xt::xtensor<std::int32_t, 1>::from_shape({which.size()})};
  for (std::size_t row = 0; row < which.size(); ++row) {
    const token_ids& line = lines[which[row]];
    std::copy(line.begin(), line.end(), &made.tokens(row, 0));
    made.lengths(row) = static_cast<std::int32_t>(line.size());
  }
  return made;
}

} // namespace fovea::core
