#pragma once

#include <array>
#include <cstdint>

namespace fovea::core {

/// Four random words for each counter: Philox-4x32-10 (Salmon et al. 2011, "Parallel Random Numbers: As Easy
/// as 1, 2, 3", section 3.3). There is no state: a number depends on its key and counter alone, not on which
/// others were drawn before.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * counter[0],
                        b = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9e3779b9, key[1] + 0xbb67ae85};
  }
  return counter;
}

/// The n-th number of one of 2^64 independent sequences of a seed, uniform over 0 <= u < 1 in steps of 2^-53.
constexpr double uniform(std::uint64_t seed, std::uint64_t sequence, std::uint64_t n) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto words = philox({low(n), high(n), low(sequence), high(sequence)}, {low(seed), high(seed)});
  const std::uint64_t bits = std::uint64_t{words[1]} << 32 | words[0];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

} // namespace fovea::core
