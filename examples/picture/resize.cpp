#include "resize.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace picture {
namespace {

// Shares are numbers of 22 bits behind the point, so that a sum of 8 bits with its overshoot has room in 32.
constexpr int fraction_bits = 22;

double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

/// How much each of some pixels in a row gives to one that is made of them.
struct shares {
  std::size_t first;
  std::vector<int> parts;
};

/// Of pixels `begin` to `begin + count` of a line that is resized.
std::vector<shares> shares_of(std::size_t from, std::size_t to, std::size_t begin, std::size_t count) {
  const double scale = static_cast<double>(from) / static_cast<double>(to), reduction = std::max(scale, 1.0),
               support = 2 * reduction;
  std::vector<shares> made;
  for (std::size_t i = begin; i < begin + count; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto first = static_cast<std::size_t>(std::max(0.0, center - support + 0.5));
    const auto last = std::min(from, static_cast<std::size_t>(center + support + 0.5));
    std::vector<double> values;
    double sum = 0;
    for (std::size_t x = first; x < last; ++x) {
      values.push_back(cubic((static_cast<double>(x) - center + 0.5) / reduction));
      sum += values.back();
    }
    shares& one = made.emplace_back(shares{first, {}});
    for (const double value : values) {
      const double share = (sum == 0 ? value : value / sum) * (1 << fraction_bits);
      one.parts.push_back(static_cast<int>(share < 0 ? share - 0.5 : share + 0.5));
    }
  }
  return made;
}

std::uint8_t rounded(int sum) { return static_cast<std::uint8_t>(std::clamp(sum >> fraction_bits, 0, 255)); }

constexpr int half = 1 << (fraction_bits - 1);

} // namespace

image resized(const image& from, std::size_t width, std::size_t height, window part) {
  const std::vector<shares> columns = shares_of(from.width, width, part.left, part.width),
                            rows = shares_of(from.height, height, part.top, part.height);
  const std::size_t top = rows.front().first, bottom = rows.back().first + rows.back().parts.size();
  image narrow{.width = part.width, .height = bottom - top};
  narrow.rgb.resize(3 * narrow.width * narrow.height);
  for (std::size_t y = 0; y < narrow.height; ++y)
    for (std::size_t x = 0; x < narrow.width; ++x) {
      const std::uint8_t* pixel = &from.rgb[3 * ((top + y) * from.width + columns[x].first)];
      int red = half, green = half, blue = half;
      for (const int share : columns[x].parts) {
        red += share * pixel[0], green += share * pixel[1], blue += share * pixel[2];
        pixel += 3;
      }
      std::uint8_t* to = &narrow.rgb[3 * (y * narrow.width + x)];
      to[0] = rounded(red), to[1] = rounded(green), to[2] = rounded(blue);
    }

  image made{.width = part.width, .height = part.height};
  made.rgb.resize(3 * made.width * made.height);
  std::vector<int> sums(3 * made.width);
  for (std::size_t y = 0; y < made.height; ++y) {
    std::ranges::fill(sums, half);
    const std::uint8_t* row = &narrow.rgb[3 * (rows[y].first - top) * narrow.width];
    for (const int share : rows[y].parts) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += share * row[i];
      row += sums.size();
    }
    std::ranges::transform(sums, &made.rgb[y * sums.size()], rounded);
  }
  return made;
}

image thumbnail(const image& from, std::size_t side) {
  const std::size_t longest = std::max(from.width, from.height);
  if (longest <= side) return from;
  const std::size_t width = std::max<std::size_t>(1, from.width * side / longest),
                    height = std::max<std::size_t>(1, from.height * side / longest);
  return resized(from, width, height, {0, 0, width, height});
}

} // namespace picture
