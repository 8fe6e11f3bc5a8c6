#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fovea::core {

/// What is counted: grams of 1 to `order` tokens over lines of ids from 0 to vocabulary - 1. Each line stands
/// between order - 1 times `start` (<s>, which nothing predicts) and one `end` (</s>); both are ids of the
/// vocabulary that occur in no line. A gram is counted where its last token stands, so none ends in <s>.
struct ngram_config {
  int order = 3;
  token_id vocabulary = 0;
  token_id start = 0, end = 1;
};

/// What has followed a context; empty for one that was never seen.
struct ngram_followers {
  std::span<const token_id> tokens;      // ascending
  std::span<const std::uint32_t> counts; // of the gram that each makes with the context
  std::span<const std::uint32_t>
      preceding; // different tokens that stood before that gram; none at full order
  std::uint64_t total = 0, total_preceding = 0;
  std::size_t types = 0; // tokens counted at least once

  /// The place of a token among them.
  std::optional<std::size_t> find(token_id token) const;
};

/// The grams of a text with their counts: a trie whose levels are sorted arrays, 8 bytes for a gram of full
/// order and at most 24 for a shorter one. A cheap handle to immutable, shared state; all members may be
/// called from several threads at once.
class ngram_counts {
public:
  const ngram_config& config() const;

  /// How often a gram of 1 to `order` tokens occurred.
  std::uint64_t count(std::span<const token_id> gram) const;
  /// Different grams of that many tokens.
  std::size_t distinct(int tokens) const;
  /// Bytes that the grams take in memory.
  std::size_t stored_bytes() const;

  /// A context of 0 to order - 1 tokens as a number below contexts(length), if it has been followed by
  /// anything.
  std::optional<std::size_t> find_context(std::span<const token_id> context) const;
  std::size_t contexts(int length) const;
  ngram_followers followers(int length, std::size_t context) const;

  /// Calls f(context, index, followers) for every context of a length that has been followed by anything.
  template <class F>
  void for_each_context(int length, F f) const {
    std::vector<token_id> context(static_cast<std::size_t>(length));
    visit(0, 0, context, f);
  }

  /// Writes a file that `load_ngram_counts` reads (safetensors, whole or not at all).
  void save(const file_path& path) const;

private:
  struct level;
  struct state;
  friend class ngram_counter;
  friend ngram_counts load_ngram_counts(const file_path& path);

  explicit ngram_counts(std::shared_ptr<const state> shared) : state_(std::move(shared)) {}
  static ngram_counts assembled(const ngram_config& config, std::vector<level> levels);
  static void sum_up(const ngram_config& config, std::vector<level>& levels);
  void count_preceding(state& made) const;
  std::size_t child(std::size_t depth, std::size_t context, std::size_t place) const;

  template <class F>
  void visit(std::size_t depth, std::size_t index, std::vector<token_id>& context, F& f) const {
    const ngram_followers next = followers(static_cast<int>(depth), index);
    if (depth == context.size()) {
      if (next.types > 0) f(std::span<const token_id>(context), index, next);
      return;
    }
    for (std::size_t i = 0; i < next.tokens.size(); ++i) {
      context[depth] = next.tokens[i];
      visit(depth + 1, child(depth, index, i), context, f);
    }
  }

  std::shared_ptr<const state> state_;
};

/// Counts the grams of a text, line after line. Takes 4 bytes a token, and 12 more while `counts` runs.
class ngram_counter {
public:
  /// Throws fovea::error for an order outside 1 to 16, or a start or end outside the vocabulary or the same.
  explicit ngram_counter(const ngram_config& config);

  /// Throws fovea::error that names an id outside the vocabulary, or the start or end in the midst of a line.
  void add(std::span<const token_id> line);
  /// Of the lines so far.
  ngram_counts counts() const;

private:
  ngram_config config_;
  std::vector<token_id> text_; // the lines with what stands around them
};

/// Reads what `save` has written, and checks that the counts are those of some text: sorted, in the
/// vocabulary, each the sum of the counts of the longer grams that end in it. Throws fovea::error that names
/// the file and what is wrong.
ngram_counts load_ngram_counts(const file_path& path);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::load_ngram_counts, core::ngram_config, core::ngram_counter, core::ngram_counts;
} // namespace fovea
