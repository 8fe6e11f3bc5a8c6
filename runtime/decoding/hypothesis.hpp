#pragma once

#include <fovea/runtime/decoding/next_token.hpp>

#include <functional>
#include <optional>
#include <string>

namespace fovea::core {

/// Why a generated text ends: with an end token, where it holds a stop string, at the greatest length, or
/// because the caller has seen enough.
enum class ended_by { token, string, length, caller };

/// A text that a model has gone on with.
struct hypothesis {
  token_ids ids; // what was generated, an end token included
  double log_probability =
      0;            // of these ids together, as the model says it: untouched by filters and temperature
  double score = 0; // what it is ranked by: beam search divides by a power of the length
  ended_by ended = ended_by::length;
  std::string text =
      {}; // as stopping_options::text spells the ids, without the stop string and what follows it
};

/// Where generated texts end.
struct stopping_options {
  std::size_t max_tokens = 128;          // the most ids generated for one text, the end token included
  token_ids end = {};                    // ids that end a text (</s>)
  std::vector<std::string> strings = {}; // what ends a text that holds it; needs `text`
  std::function<std::string(std::span<const token_id>)> text = {}; // spells ids: a tokenizer's decode
};

namespace detail {

/// Throws fovea::error where no token may be generated, a stop string is empty, or nothing spells the texts.
void check(const stopping_options& where);

/// Why a text ends with its last id, if it does. Fills in `text` where strings end texts.
std::optional<ended_by> ending(hypothesis& h, const stopping_options& where);

/// Fills in `text` and `ended` of a text that has ended.
void finish(hypothesis& h, ended_by why, const stopping_options& where);

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::ended_by, core::hypothesis, core::stopping_options;
} // namespace fovea
