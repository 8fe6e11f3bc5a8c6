#pragma once

#include <fovea/runtime/decoding/random.hpp>
#include <fovea/runtime/decoding/sampling.hpp>

#include <algorithm>

namespace training {

/// Goes on with a text by a network that sees its last `window` tokens: scores(ids) gives a float for each
/// token of the vocabulary, std::span, of what comes after these ids. Ends after `length` more tokens or
/// after `end`, which is kept.
template <class F>
fovea::token_ids written(fovea::token_ids text, std::size_t window, std::size_t length,
                         const fovea::sampling_options& how, F scores, fovea::token_id end = -1) {
  for (std::size_t n = 0; n < length; ++n) {
    const std::size_t seen = std::min(window, text.size());
    const auto choices = fovea::core::filtered(scores(std::span(text).last(seen)), how, text);
    double left = fovea::core::uniform(how.seed, 0, n);
    fovea::token_id drawn = choices.back().id;
    for (const fovea::token_probability& choice : choices)
      if ((left -= choice.probability) < 0) {
        drawn = choice.id;
        break;
      }
    text.push_back(drawn);
    if (drawn == end) break;
  }
  return text;
}

} // namespace training
