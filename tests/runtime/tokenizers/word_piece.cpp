#include <fovea/runtime/tokenizers/word_piece.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;

namespace {

token_vocabulary some_tokens() {
  token_vocabulary tokens;
  std::int64_t next = 0;
  for (const char* token :
       {"[UNK]", "un", "##aff", "##able", "a", "##a", "##f", "\u00e9", "##\u00e9t", "##\u00e9"})
    tokens.add(token, next++);
  return tokens;
}

std::vector<std::string> pieces(const std::string& word, std::size_t longest = 100) {
  const token_vocabulary tokens = some_tokens();
  std::vector<token_id> ids;
  word_piece(tokens, "[UNK]", "##", longest).append(word, ids);
  std::vector<std::string> result;
  for (const token_id id : ids) result.emplace_back(tokens.token(id));
  return result;
}

using list = std::vector<std::string>;

} // namespace

TEST_CASE("the longest piece is taken first", "[word_piece]") {
  CHECK(pieces("unaffable") == list{"un", "##aff", "##able"});
  CHECK(pieces("unaf") == list{"un", "##a", "##f"});
  CHECK(pieces("\u00e9\u00e9t\u00e9") == list{"\u00e9", "##\u00e9t", "##\u00e9"});
}

TEST_CASE("a word that can't be covered is one unknown token", "[word_piece]") {
  CHECK(pieces("unx") == list{"[UNK]"});
  CHECK(pieces("\u00e8") == list{"[UNK]"}); // shares its first byte with a token
  CHECK(pieces("able") == list{"[UNK]"});
}

TEST_CASE("the limit on words counts characters", "[word_piece]") {
  CHECK(pieces("\u00e9\u00e9t\u00e9", 4) == list{"\u00e9", "##\u00e9t", "##\u00e9"});
  CHECK(pieces("\u00e9\u00e9t\u00e9", 3) == list{"[UNK]"});
}

TEST_CASE("the unknown token must be a token", "[word_piece]") {
  const token_vocabulary tokens = some_tokens();
  CHECK_THROWS_WITH(word_piece(tokens, "<unk>", "##", 100),
                    "the unknown token '<unk>' is not in the vocabulary");
}
