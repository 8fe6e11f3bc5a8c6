#pragma once

#include <fovea/runtime/decoding/next_token.hpp>

#include <cstdint>

namespace fovea::core {

/// How the next token is drawn. The filters apply in this order, each to what the one before has left.
///   repetition_penalty  scores of tokens that the text already holds, the prompt among it, are divided by it
///                       where positive and multiplied where negative (Keskar et al. 2019, section 4.1); 1:
///                       off
///   temperature         divides the scores; 0: the most likely token is taken
///   top_k               keeps the k highest scores and those equal to the last of them; 0: off
///   top_p               keeps the most likely tokens until their sum reaches p (Holtzman et al. 2020); 1:
///   off min_p               keeps tokens at least p times as likely as the likeliest (Nguyen et al. 2024);
///   0: off seed                the same seed and prompt give the same text, whatever is decoded beside it
///   samples             texts drawn for each prompt
struct sampling_options {
  double temperature = 1;
  std::size_t top_k = 0;
  double top_p = 1;
  double min_p = 0;
  double repetition_penalty = 1;
  std::uint64_t seed = 0;
  std::size_t samples = 1;
};

struct token_probability {
  token_id id;
  double probability;
};

/// The tokens that the filters leave, with probabilities that sum to 1, for the scores of one row and the ids
/// that it has read. By id, or most likely first where top_p is on.
std::vector<token_probability> filtered(std::span<const float> scores, const sampling_options& options,
                                        std::span<const token_id> read = {});

/// The most likely token; of equal ones, the smallest id.
token_id most_likely(std::span<const float> scores);

namespace detail {

/// log(sum(exp(scores))), in double precision. Throws fovea::error where a score is NaN or plus infinity, or
/// no token is possible.
double log_sum_exp(std::span<const float> scores);

/// The token in whose share of the probabilities u lies, 0 <= u < 1.
token_id drawn(std::span<const token_probability> tokens, double u);

/// Throws fovea::error that names the option, its range and the value found.
void check(const sampling_options& options);

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::sampling_options, core::token_probability;
} // namespace fovea
