#pragma once

#include <fovea/runtime/decoding/decode_together.hpp>
#include <fovea/runtime/decoding/hypothesis.hpp>

#include <functional>

namespace fovea::core {

/// How beams are searched.
///   width         hypotheses that a beam starts with places for; each that ends takes its place away
///   length_power  a hypothesis is ranked by log p / length^length_power, its length counting the end token;
///                 1: the mean of a token, 0: log p itself
///   best          the most hypotheses returned for a prompt
struct beam_options {
  std::size_t width = 4;
  double length_power = 1;
  std::size_t best = 1;
};

/// A step of the beam of one prompt: what goes on, best first, what has just ended, and the places left.
struct beam_step {
  std::size_t prompt;
  std::span<const hypothesis> live, ended;
  std::size_t width;
};
using beam_callback = std::function<void(const beam_step&)>;

namespace detail {

/// The beam of one prompt.
class beam_text {
public:
  beam_text(std::size_t prompt, const beam_options& options, const stopping_options& where,
            const beam_callback& each)
      : prompt_(prompt), options_(options), where_(where), each_(each), width_(options.width), live_(1) {}

  std::vector<continuation> advance(const token_scores& scores, std::size_t first_row);
  /// At most options.best, best first.
  std::vector<hypothesis> ranked();

private:
  struct candidate {
    double log_probability;
    continuation from;
  };
  std::vector<candidate> best_candidates(const token_scores& scores, std::size_t first_row) const;

  std::size_t prompt_;
  const beam_options& options_;
  const stopping_options& where_;
  const beam_callback& each_;
  std::size_t width_;
  std::vector<hypothesis> live_, ended_;
};

void check(const beam_options& options);

} // namespace detail

/// Beam search (Sutskever et al. 2014, section 3.2) from each prompt; prompts are decoded together and may
/// differ in length. A beam starts as one empty hypothesis with options.width places. At each step the best
/// extensions of its hypotheses by one token, as many as it has places, are kept (of equal ones that of the
/// better hypothesis, then the smaller id); those that end leave the beam with their places. It ends without
/// places, or at the greatest length, where what is left counts as ended by length. Returns for each prompt
/// its best hypotheses, best first (of equal ones, what ended first). Throws fovea::error for an empty
/// prompt, an option out of its range, and scores that are no numbers.
template <next_token_model M>
std::vector<std::vector<hypothesis>> beam_search(M& model, std::span<const token_ids> prompts,
                                                 const beam_options& options, const stopping_options& where,
                                                 const beam_callback& each = {}) {
  detail::check(options);
  detail::check(where);
  std::vector<detail::beam_text> beams;
  for (std::size_t i = 0; i < prompts.size(); ++i) beams.emplace_back(i, options, where, each);
  detail::decode_together(model, prompts, std::span(beams));
  std::vector<std::vector<hypothesis>> results;
  for (detail::beam_text& b : beams) results.push_back(b.ranked());
  return results;
}

/// The same from one prompt.
template <next_token_model M>
std::vector<hypothesis> beam_search(M& model, const token_ids& prompt, const beam_options& options,
                                    const stopping_options& where, const beam_callback& each = {}) {
  return std::move(beam_search(model, std::span(&prompt, 1), options, where, each).front());
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::beam_callback, core::beam_options, core::beam_search, core::beam_step;
} // namespace fovea
