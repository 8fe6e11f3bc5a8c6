#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;

TEST_CASE("tokens are found by text and by id", "[vocabulary]") {
  token_vocabulary tokens;
  CHECK(tokens.size() == 0);
  CHECK(!tokens.id("a"));
  for (int i = 0; i < 5000; ++i) tokens.add("token " + std::to_string(i), 4999 - i);
  CHECK(tokens.size() == 5000);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = "token " + std::to_string(i);
    if (tokens.id(text) != 4999 - i || tokens.token(4999 - i) != text) FAIL_CHECK(text);
  }
  CHECK(!tokens.id("token"));
  CHECK(!tokens.id(""));
  CHECK(tokens.token(5000).empty());
  CHECK(tokens.token(-1).empty());
}

TEST_CASE("ids may leave gaps, and a repeated entry changes nothing", "[vocabulary]") {
  token_vocabulary tokens;
  tokens.add("a", 7);
  tokens.add("a", 7);
  CHECK(tokens.size() == 8);
  CHECK(tokens.token(3).empty());
}

TEST_CASE("contradictions are named", "[vocabulary]") {
  token_vocabulary tokens;
  tokens.add("a", 1);
  CHECK_THROWS_WITH(tokens.add("a", 2), "token 'a' has two ids, 1 and 2");
  CHECK_THROWS_WITH(tokens.add("b", 1), "token 'b' and 'a' have the same id, 1");
  CHECK_THROWS_WITH(tokens.add("c", -1), "token 'c': expected an id of 0 to 16777215; found -1");
  CHECK_THROWS_WITH(tokens.add("c", 1 << 24), "token 'c': expected an id of 0 to 16777215; found 16777216");
  CHECK_THROWS_WITH(tokens.add("", 4), "token 4: expected a text; found an empty one");
}
