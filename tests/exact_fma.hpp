#pragma once

#include <bit>
#include <cstdint>

namespace fovea::core::test {

/// x * y + z, rounded once. Some libraries of C round twice.
inline float exact_fma(float x, float y, float z) {
  // The product is exact; the sum is rounded to odd, of which rounding to a float makes what rounding once would (Boldo and
  // Melquiond, Emulation of FMA and correctly rounded sums, 2008).
  const double product = static_cast<double>(x) * static_cast<double>(y), w = static_cast<double>(z);
  double sum = product + w;
  const double of_w = sum - product, rest = (product - (sum - of_w)) + (w - of_w);
  if (const auto bits = std::bit_cast<std::uint64_t>(sum); rest != 0 && bits % 2 == 0)
    sum = std::bit_cast<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
  return static_cast<float>(sum);
}

} // namespace fovea::core::test
