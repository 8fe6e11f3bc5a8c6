#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core {

/// Whether a name comes before another: h.2 before h.10.
inline bool by_numbers(const std::string& a, const std::string& b) {
  const auto digits = [](const std::string& text, std::size_t at) {
    std::size_t n = 0;
    while (at + n < text.size() && text[at + n] >= '0' && text[at + n] <= '9') ++n;
    return n;
  };
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::size_t n = digits(a, i), m = digits(b, j);
    if (n > 0 && m > 0 && n != m) return n < m;
    if (a[i] != b[j]) return a[i] < b[j];
    ++i, ++j;
  }
  return a.size() < b.size();
}

/// Collects problems of one kind and prints the first few in the order of their numbers. Of several kinds in one message
/// fewer are shown, so that it stays one that is read.
class problems {
public:
  void add(std::string problem) { all_.push_back(std::move(problem)); }
  explicit problems(std::string separator) : separator_(std::move(separator)) {}
  bool empty() const { return all_.empty(); }
  std::string text(std::size_t kinds = 1) const {
    const std::size_t most_shown = kinds > 1 ? 2 : 5;
    std::vector<std::string> sorted = all_;
    std::ranges::stable_sort(sorted, by_numbers);
    std::string text;
    for (std::size_t i = 0; i < std::min(most_shown, sorted.size()); ++i)
      text += (text.empty() ? "" : separator_) + sorted[i];
    if (sorted.size() <= most_shown) return text;
    return text + separator_ + "and " + std::to_string(sorted.size() - most_shown) + " more";
  }

private:
  std::string separator_;
  std::vector<std::string> all_;
};

} // namespace fovea::core
