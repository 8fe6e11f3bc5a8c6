#pragma once

#include <fovea/programs/model_terms.hpp>
#include <fovea/programs/next_token_network.hpp>
#include <fovea/programs/parts.hpp>

#include <type_traits>

namespace fovea::programs {

/// What goes on with texts and, where the program has one, the small model whose tokens it reads ahead.
struct writing_network {
  next_token_network_maker writer = nullptr, draft = nullptr;
};

int generate(const writing_network& network, const program_parts& parts, int count, char** words);

/// The main of a program that goes on with texts: `streamed` makes a stream of M, tokens [B, T] to logits [B, T, vocab],
/// or [B, vocab] for the last position alone, which reads prompts faster. With `looks_ahead` it takes the first, and the
/// option --prompt-lookup. `drafted` makes such a stream of a small model D, of which parts.draft tells.
template <class M, auto streamed, bool looks_ahead = false, class D = void, auto drafted = nullptr>
int generate(const program_parts& parts, int count, char** words) {
  constexpr auto back = looks_ahead ? taken_back::last_step : taken_back::nothing;
  if constexpr (!fits<M, terms::generate>) {
    return refuse<M, terms::generate>();
  } else if constexpr (std::is_void_v<D>) {
    return generate({.writer = next_token_network_of<M, streamed, back>::make}, parts, count, words);
  } else if constexpr (!fits<D, terms::generate>) {
    return refuse<D, terms::generate>();
  } else if constexpr (!fits_as_draft<M, D>) {
    return refuse_draft<M, D>();
  } else {
    return generate({.writer = next_token_network_of<M, streamed, back>::make,
                     .draft = next_token_network_of<D, drafted, taken_back::all>::make},
                    parts, count, words);
  }
}

} // namespace fovea::programs
