#include "nearest.hpp"

#include <algorithm>
#include <numeric>

namespace semantic_search {

std::vector<hit> nearest(const text_index& index, std::span<const float> question, std::size_t top) {
  std::vector<float> scores(index.rows.size());
  for (std::size_t row = 0; row < scores.size(); ++row)
    scores[row] =
        std::inner_product(question.begin(), question.end(),
                           index.vectors.begin() + static_cast<std::ptrdiff_t>(row * index.width), 0.0f);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(top, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t one, std::size_t other) {
    return scores[one] != scores[other] ? scores[one] > scores[other] : one < other;
  });
  order.erase(end, order.end());

  std::vector<hit> hits;
  for (const std::size_t row : order) {
    hits.push_back({scores[row], {}});
    std::ranges::copy_if(index.passages, std::back_inserter(hits.back().places),
                         [&](const indexed_passage& p) { return p.row == row; });
  }
  return hits;
}

} // namespace semantic_search
