#include <fovea/runtime/tokenizers/scored_pieces.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/state.hpp>

#include <string>

namespace fovea::core {

void cut_by_scores(tokenizer::state& made, std::span<const float> scores, std::optional<token_id> unknown,
                   bool prefix_space) {
  meta_space_decoder how{.front = prefix_space ? meta_space_decoder::leading::one
                                               : meta_space_decoder::leading::kept,
                         .byte_fallback = true};
  if (prefix_space) made.normalize.emplace_back(prepend{how.mark});
  made.normalize.emplace_back(replace_text{" ", how.mark});
  made.split = whole_splitter(); // merges may cross words
  made.decode = how;
  made.model.emplace<byte_pair>(made.tokens, scores,
                                byte_pair::settings{.over = byte_pair::settings::unit::character,
                                                    .unknown = unknown,
                                                    .byte_fallback = true});
}

void put_around(tokenizer::state& made, std::optional<token_id> front, std::optional<token_id> back) {
  using kind = encoding_template::piece::kind;
  const auto special = [](std::optional<token_id> id, token_id type) {
    encoding_template::piece piece{kind::special, type};
    if (id) piece.ids.push_back(*id);
    return piece;
  };
  made.single = {{special(front, 0), {kind::first_text}, special(back, 0)}};
  made.pair = {
      {special(front, 0), {kind::first_text}, special(back, 0), {kind::second_text, 1}, special(back, 1)}};
}

void add_token(tokenizer::state& made, std::string_view token, token_id id) {
  try {
    check_utf8(token);
  } catch (const error&) {
    throw error("token " + std::to_string(id) + ": expected UTF-8; found " + in_quotes(token));
  }
  made.tokens.add(token, id);
}

} // namespace fovea::core
