#pragma once

#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/ngram/counts.hpp>

#include <span>
#include <variant>
#include <vector>

namespace fovea::core {

// How the probability of a token w after a context c follows from counts; f(cw) is a gram's count, f(c) the
// sum over all w, c' the context without its first token, V the tokens that can follow (all but <s>).

/// f(cw) / f(c). Nothing is possible after a context that was never seen.
struct maximum_likelihood {};

/// (f(cw) + k) / (f(c) + k V) (Lidstone; Laplace with k = 1).
struct add_k {
  double k = 1;
};

/// Katz's backoff (1987) with absolute discounting (Ney, Essen and Kneser 1994): (f(cw) - d) / f(c) where cw
/// was seen, else a(c) p(w | c'), a(c) chosen so that the sum is 1. The empty context is interpolated with 1
/// / V; a context that has been followed by all that can follow keeps its counts whole.
struct backoff {
  double discount = 0.5;
};

/// Interpolated Kneser-Ney (Chen and Goodman 1999, equation 26 with the lower orders interpolated alike):
/// max(f(cw) - d, 0) / f(c) + d types(c) / f(c) p(w | c'), from 1 / V below the empty context. For contexts
/// of less than order - 1 tokens f counts the different tokens that stood before the gram.
struct kneser_ney {
  double discount = 0.75;
};

using ngram_smoothing = std::variant<maximum_likelihood, add_k, backoff, kneser_ney>;

/// A language model of counted grams. All members may be called from several threads at once. Of a context
/// only the last order - 1 tokens matter; one that was never seen counts as its longest end that was.
class ngram {
public:
  /// Throws fovea::error where k is not above 0, or a discount outside 0 to 1.
  explicit ngram(ngram_counts counts, ngram_smoothing how = kneser_ney{});

  const ngram_counts& counts() const { return counts_; }

  /// p(token | context); 0 for the start. Throws fovea::error for an id outside the vocabulary.
  double probability(std::span<const token_id> context, token_id token) const;
  /// The same of every id of the vocabulary.
  void probabilities(std::span<const token_id> context, std::span<double> of) const;

  /// Adds a token to a context, and drops what is too far back to matter. After <s> nothing before it is
  /// seen.
  void extend(token_ids& context, token_id next) const;

private:
  /// One context's part in a probability: of tokens that it has seen, p becomes (f - discount) / total +
  /// shared p, of all others left p. Every smoothing is a chain of these.
  struct step {
    ngram_followers next;
    std::span<const std::uint32_t> counts; // f
    double total, discount, shared, left;
  };
  std::vector<step> steps(std::span<const token_id> context) const;
  step step_of(std::size_t length, std::size_t context) const;
  double first() const;
  double chained(std::span<const step> chain, token_id token) const;
  void weigh_backoff();

  ngram_counts counts_;
  ngram_smoothing how_;
  std::vector<std::vector<double>> backoff_weights_; // a(c), by the length of c and its number
};

/// log p of every token of a text but its first, which is <s> where the text begins a line; found without the
/// probabilities of all others. Minus infinity where maximum likelihood knows no such gram.
std::vector<double> log_probabilities(const ngram& model, const token_ids& text);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::add_k, core::backoff, core::kneser_ney, core::log_probabilities, core::maximum_likelihood,
    core::ngram, core::ngram_smoothing;
} // namespace fovea
