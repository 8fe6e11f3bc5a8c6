#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tool {

comparison compare(const numbers& found, const numbers& expected, const tolerance& within) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double largest = 1;
  for (const double r : expected.values)
    if (std::isfinite(r)) largest = std::max(largest, std::abs(r));
  comparison made;
  made.elements = expected.values.size();
  std::size_t worst = 0;
  for (std::size_t i = 0; i < made.elements; ++i) {
    const double x = found.values[i], r = expected.values[i];
    const bool same = x == r || (std::isnan(x) && std::isnan(r));
    double share = 0;
    if (!same)
      share =
          expected.whole ? infinity : std::abs(x - r) / (within.atol * largest + within.rtol * std::abs(r));
    if (std::isnan(share)) share = infinity;
    made.beyond += share > 1;
    if (share > made.share) made.share = share, worst = i;
  }
  if (made.elements == 0) return made;
  made.found = found.values[worst], made.expected = expected.values[worst];
  made.index.resize(expected.shape.size());
  for (std::size_t axis = expected.shape.size(), rest = worst; axis > 0; --axis) {
    made.index[axis - 1] = rest % expected.shape[axis - 1];
    rest /= expected.shape[axis - 1];
  }
  return made;
}

} // namespace tool
