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
inline golden_tensor formula_tensor(const std::string& name, const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (std::size_t d : shape) size *= d;
  golden_tensor made{shape, std::vector<double>(size), false};
  if (shape.size() < 2) {
    std::fill(made.values.begin(), made.values.end(), name.ends_with("bias") ? 0.0 : 1.0);
    return made;
  }
  const bool embeds = name.find("embed") != std::string::npos || name.find("wte") != std::string::npos ||
                      name.find("wpe") != std::string::npos;
  const double a = embeds ? 0.02 : 1 / std::sqrt(static_cast<double>(size / shape[0]));
  const std::uint64_t seed = fnv1a64(name);
  for (std::size_t i = 0; i < size; ++i) {
    const double u = static_cast<double>(splitmix64(seed + i) >> 40) / 16777216.0;
    made.values[i] = static_cast<double>(static_cast<float>((u - 0.5) * 2 * a));
  }
  return made;
}

/// Every parameter that the case lists, by its own name.
inline std::map<std::string, golden_tensor> formula_parameters(const golden_case& c) {
  std::map<std::string, golden_tensor> made;
  for (const auto& [name, shape] : c.metadata().at("parameters").items())
    made[name] = formula_tensor(name, shape.get<std::vector<std::size_t>>());
  return made;
}

} // namespace fovea::core::test
