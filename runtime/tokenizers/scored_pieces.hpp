#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <optional>
#include <span>

namespace fovea::core {

/// Makes of a state with its vocabulary SentencePiece's BPE with byte fallback, as files that hold pieces and
/// scores describe it: a space is U+2581, and `prefix_space` puts one in front of a text that is not empty.
/// A score that is not a number marks a token that no merge gives.
void cut_by_scores(tokenizer::state& made, std::span<const float> scores, std::optional<token_id> unknown,
                   bool prefix_space);

/// What encode puts around a text: a token in front of it, behind it, both, or none. Between the texts of a
/// pair stands the one behind.
void put_around(tokenizer::state& made, std::optional<token_id> front, std::optional<token_id> back);

/// Throws fovea::error where two tokens are the same, or one is empty or no UTF-8.
void add_token(tokenizer::state& made, std::string_view token, token_id id);

} // namespace fovea::core
