#pragma once

#include <fovea/programs/parts.hpp>
#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace fovea::programs {

/// The id of a token that a program is built with. Throws fovea::error where the tokenizer has none.
token_id id_of(const std::string& token, const tokenizer& words);
token_ids ids_of(const std::vector<std::string>& tokens, const tokenizer& words);

/// What a text to go on with is read as; an empty one is the token that texts begin with. Throws fovea::error where there is
/// none, or where nothing of the context is left to write; `place` says where the text stands.
token_ids prompt_ids(const std::string& text, const std::string& place, const tokenizer& words,
                     const program_parts& parts, std::size_t context);
/// Throws fovea::error where nothing of the context is left behind these.
void expect_room(const token_ids& ids, const std::string& place, std::size_t context);

} // namespace fovea::programs
