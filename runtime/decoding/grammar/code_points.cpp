#include <fovea/runtime/decoding/grammar/code_points.hpp>

#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace fovea::core::grammar {
namespace {

constexpr unsigned char least_following = 0x80, most_following = 0xbf;

/// Code points of equally many bytes, without surrogates.
constexpr std::array<code_points::range, 5> alike{
    {{0, 0x7f}, {0x80, 0x7ff}, {0x800, 0xd7ff}, {0xe000, 0xffff}, {0x10000, code_points::last}}};

} // namespace

code_points::code_points(std::vector<range> ranges) {
  std::sort(ranges.begin(), ranges.end());
  for (const auto& [first, end] : ranges)
    if (!ranges_.empty() && first <= ranges_.back().second + 1)
      ranges_.back().second = std::max(ranges_.back().second, end);
    else
      ranges_.emplace_back(first, end);
}

code_points code_points::with(const code_points& others) const {
  std::vector<range> all = ranges_;
  all.insert(all.end(), others.ranges_.begin(), others.ranges_.end());
  return code_points(std::move(all));
}

code_points code_points::complement() const {
  std::vector<range> between;
  std::uint32_t next = 0;
  for (const auto& [first, end] : ranges_) {
    if (first > next) between.emplace_back(next, first - 1);
    next = end + 1;
  }
  if (next <= last) between.emplace_back(next, last);
  return code_points(std::move(between));
}

code_points code_points::without(const code_points& others) const {
  return complement().with(others).complement();
}

bool code_points::contains(std::uint32_t value) const {
  return std::ranges::any_of(ranges_, [&](const range& r) { return r.first <= value && value <= r.second; });
}

std::vector<byte_ranges> utf8_of(const code_points& set) {
  std::vector<byte_ranges> made;
  for (const auto& [first, end] : set.ranges())
    for (const auto& [least, most] : alike) {
      const std::uint32_t from = std::max(first, least), to = std::min(end, most);
      if (from > to) continue;
      std::string low, high;
      append_utf8(low, from), append_utf8(high, to);
      append_between(low, high, least_following, most_following, made);
    }
  return made;
}

} // namespace fovea::core::grammar
