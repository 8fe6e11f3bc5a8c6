#pragma once

// The arrays of ngram_counts, shared by what makes them and what reads them.

#include <fovea/base/error.hpp>
#include <fovea/runtime/ngram/counts.hpp>

#include <string>

namespace fovea::core {

/// The grams of one length, sorted by their tokens. Those that a gram begins are the entries begin[i] to
/// begin[i + 1] of the next level.
struct ngram_counts::level {
  std::vector<token_id> tokens;           // the last of each
  std::vector<std::uint32_t> counts;      // 0 for <s>, <s> <s>, ...: they are contexts only
  std::vector<std::uint32_t> begin = {};  // below the greatest length
  std::vector<std::uint32_t> totals = {}; // of the counts that begin[i] to begin[i + 1] have
  std::vector<std::uint32_t> preceding = {}, total_preceding = {};
};

struct ngram_counts::state {
  ngram_config config;
  std::vector<level> levels; // 0 to order; level 0 is one entry, the empty context
};

namespace detail {

inline void require(bool holds, const std::string& problem) {
  if (!holds) throw error("n-gram counts: " + problem);
}

/// Throws fovea::error where no grams can be counted so.
void check(const ngram_config& config);

} // namespace detail

} // namespace fovea::core
