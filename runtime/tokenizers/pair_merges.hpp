#pragma once

#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core {

/// Words and how often each occurs, in an order that does not depend on chance.
using counted_words = std::vector<std::pair<std::string, std::uint64_t>>;

struct merge_training {
  std::size_t size;          // of the vocabulary at its end
  std::size_t minimum_count; // of a pair that is joined
  std::string continuation;  // in front of the spelling of every unit but a word's first
  std::function<void(std::size_t done, std::size_t size)> progress;
};

struct learnt_merges {
  std::vector<std::string> tokens;                  // by id
  std::vector<std::pair<token_id, token_id>> pairs; // joined, first first
};

/// Joins the most frequent pair of neighbouring units (Sennrich et al. 2016), of equally frequent ones that
/// of the smallest ids, until the vocabulary is large enough or no pair frequent enough. `tokens`, by id,
/// holds the characters of which words are made; those that it lacks are left out of the words. With a
/// continuation, the characters that continue words are added in the order in which the words show them.
learnt_merges learn_merges(const counted_words& words, std::vector<std::string> tokens,
                           const merge_training& how);

} // namespace fovea::core
