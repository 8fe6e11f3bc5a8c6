#include "nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tool {
namespace {

/// Levenshtein's distance, row by row.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

} // namespace

std::string nearest_name(std::string_view written, std::span<const std::string> names) {
  const auto far = [&](const std::string& name) { return distance(written, name); };
  const auto nearest = std::ranges::min_element(names, {}, far);
  return nearest == names.end() || 2 * far(*nearest) > nearest->size() ? "" : *nearest;
}

} // namespace tool
