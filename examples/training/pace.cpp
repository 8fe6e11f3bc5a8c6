#include "pace.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace training {

std::optional<std::string> slow_rank(const std::vector<double>& seconds) {
  if (seconds.size() < 2) return {};
  std::vector<double> ranked = seconds;
  const auto median = ranked.begin() + static_cast<std::ptrdiff_t>((ranked.size() - 1) / 2);
  std::ranges::nth_element(ranked, median);
  const auto slowest = std::ranges::max_element(seconds);
  if (!(*median > 0) || *slowest < 1.2 * *median) return {};
  return fmt::format("rank {} took {:.2f} times as long for its part of a step as the median rank",
                     slowest - seconds.begin(), *slowest / *median);
}

} // namespace training
