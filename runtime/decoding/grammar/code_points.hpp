#pragma once

#include <fovea/runtime/decoding/grammar/byte_ranges.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace fovea::core::grammar {

/// A set of code points, as ranges in ascending order that do not touch.
class code_points {
public:
  using range = std::pair<std::uint32_t, std::uint32_t>; // first and last
  static constexpr std::uint32_t last = 0x10ffff;

  code_points() = default;
  explicit code_points(std::vector<range> ranges);

  code_points with(const code_points& others) const;
  code_points without(const code_points& others) const;
  /// All others.
  code_points complement() const;

  bool contains(std::uint32_t value) const;
  bool empty() const { return ranges_.empty(); }
  const std::vector<range>& ranges() const { return ranges_; }

private:
  std::vector<range> ranges_;
};

/// The set in UTF-8, as few sequences of byte ranges. Surrogates, which UTF-8 has none of, are left out.
std::vector<byte_ranges> utf8_of(const code_points& set);

} // namespace fovea::core::grammar
