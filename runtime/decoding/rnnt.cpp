#include <fovea/runtime/decoding/rnnt.hpp>

#include <fovea/base/error.hpp>

#include <functional>
#include <limits>

namespace fovea::core::detail {

void check(const rnnt_beam_options& options) {
  if (options.width == 0) throw error("rnnt: expected a width of at least 1; found 0");
  if (options.best == 0) throw error("rnnt: expected best of at least 1; found 0");
}

std::vector<label_after> best_labels(std::span<const double> log_probabilities, std::size_t classes,
                                     std::int32_t blank, std::size_t count) {
  std::vector<label_after> made;
  for (std::size_t i = 0; i < log_probabilities.size(); ++i) {
    const auto label = static_cast<std::int32_t>(i % classes);
    if (label != blank && log_probabilities[i] != -std::numeric_limits<double>::infinity())
      made.push_back({i / classes, label, log_probabilities[i]});
  }
  const auto better = [](const label_after& a, const label_after& b) {
    return a.log_probability != b.log_probability ? a.log_probability > b.log_probability
           : a.text != b.text                     ? a.text < b.text
                                                  : a.label < b.label;
  };
  const auto end = made.begin() + static_cast<std::ptrdiff_t>(std::min(count, made.size()));
  std::partial_sort(made.begin(), end, made.end(), better);
  made.erase(end, made.end());
  return made;
}

} // namespace fovea::core::detail
