#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace picture {

/// The distance of an axis's ticks: 1, 2 or 5 times a power of ten, so that at most `most` fit into the span.
inline double tick_of(double span, int most) {
  const double tick = std::pow(10, std::floor(std::log10(span / most)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (span / (tick * factor) <= most) return tick * factor;
  return tick * 10;
}

/// What an axis shows, from the least to the most of what was added.
struct range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void add(double x) { least = std::min(least, x), most = std::max(most, x); }
  double span() const { return most > least ? most - least : 1; }
  double share(double x) const { return (x - least) / span(); }
};

/// Calls draw(x) for each tick of an axis, of which there are at most `most` distances.
template <class F>
void for_ticks(const range& r, int most, F draw) {
  const double tick = tick_of(r.span(), most);
  for (double i = std::ceil(r.least / tick); i * tick <= r.most + tick * 1e-9; ++i)
    draw(i * tick + 0.0); // 0 without a sign
}

inline std::string tick_text(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", x);
  return text.data();
}

} // namespace picture
