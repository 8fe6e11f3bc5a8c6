#pragma once

// The weights of the reference cases that ship none ("Weights by formula" in golden/README.md of the shared
// data).

#include "golden_case.hpp"

#include <cstdint>
#include <string_view>

namespace fovea::core::test {

constexpr std::uint64_t splitmix64(std::uint64_t x) {
  std::uint64_t z = x + 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

constexpr std::uint64_t fnv1a64(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// The parameter of that name and shape: 1 for norm weights, 0 for biases, else spread evenly within a, which
/// is 0.02 for embeddings and 1 / sqrt(product of all dimensions but the first) for the rest.
golden_tensor formula_tensor(const std::string& name, const std::vector<std::size_t>& shape);

} // namespace fovea::core::test
