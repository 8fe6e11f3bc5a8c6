#pragma once

// Texts for tests of n-grams.

#include <fovea/runtime/decoding/random.hpp>
#include <fovea/runtime/ngram/counts.hpp>

namespace fovea::core::test {

/// Lines of 0 to 9 words from 2 to vocabulary - 1, the smaller ones more often; <s> is 0 and </s> is 1.
inline std::vector<std::vector<token_id>> some_lines(std::uint64_t seed, std::size_t lines,
                                                     token_id vocabulary) {
  std::vector<std::vector<token_id>> made(lines);
  std::uint64_t drawn = 0;
  for (auto& line : made) {
    line.resize(static_cast<std::size_t>(10 * uniform(seed, 0, drawn++)));
    for (token_id& id : line) {
      const double u = uniform(seed, 0, drawn++);
      id = 2 + static_cast<token_id>(u * u * (vocabulary - 2));
    }
  }
  return made;
}

inline ngram_counts counts_of(const ngram_config& config, const std::vector<std::vector<token_id>>& lines) {
  ngram_counter counter(config);
  for (const auto& line : lines) counter.add(line);
  return counter.counts();
}

} // namespace fovea::core::test
