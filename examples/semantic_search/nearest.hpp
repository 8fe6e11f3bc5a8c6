#pragma once

#include "text_index.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace semantic_search {

/// A distinct passage and every place where it stands.
struct hit {
  float score; // cosine
  std::vector<indexed_passage> places;
};

/// The `top` passages nearest to a question [width], best first; of equal scores the first in the index.
std::vector<hit> nearest(const text_index& index, std::span<const float> question, std::size_t top);

} // namespace semantic_search
