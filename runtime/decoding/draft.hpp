#pragma once

#include <fovea/runtime/decoding/sampling.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

namespace fovea::core {

/// A token that may come next, as a draft says before the model itself is asked.
struct proposed_token {
  token_id id;
  std::vector<token_probability> drawn_from =
      {}; // by which it was drawn; empty: it was not drawn, but is certain
};

/// What proposes tokens to a model, which reads them all in one step (speculate):
///   begin()                   another text begins
///   propose(text, most, how)  at most so many tokens that may go on with the text, a prompt and what was
///                             generated; with probabilities where they are drawn, by those options
/// and where it knows,
///   vocabulary()              how many tokens it scores; known after it has proposed some
template <class D>
concept token_draft = requires(D& draft, std::span<const token_id> text, std::size_t most,
                               const sampling_options& how) {
  draft.begin();
  { draft.propose(text, most, how) } -> std::same_as<std::vector<proposed_token>>;
};

namespace detail {

/// Draws by `tokens`, the model's probabilities, beside a token that was proposed (Leviathan et al. 2023, algorithm 1): that
/// one with probability min(1, p / q), else one by what p has more than q. A token that is certain comes where u draws it
/// anyway. u is uniform over 0 <= u < 1.
token_id drawn_beside(const proposed_token& proposed, std::span<const token_probability> tokens, double u);

/// Throws fovea::error where a draft is to propose no tokens.
void check_proposed(const char* draft, std::size_t tokens);

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::proposed_token, core::token_draft;
} // namespace fovea
