#include "../../golden_folder.hpp"
#include "grammar_texts.hpp"
#include "next_tokens.hpp"

#include <fovea/decoding.hpp>
#include <fovea/tokenizers.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using json = nlohmann::json;

namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

constexpr const char* kinds[] = {"tokenizer_bpe.tokenizer.json", "tokenizer_wordpiece.tokenizer.json",
                                 "tokenizer_unigram.tokenizer.json", "tokenizer_sentencepiece_unigram.model",
                                 "tokenizer_sentencepiece_bpe.model"};

tokenizer golden_tokenizer(const char* name) {
  return load_tokenizer(std::string(golden_folder) + "/" + name);
}

/// Letters of one byte, "ab", and the two bytes of é as tokens, by their bytes; "[END]" is 6.
tokenizer small_tokenizer() {
  return parse_tokenizer(R"({"added_tokens": [{"id": 6, "content": "[END]", "special": true}],
    "decoder": {"type": "ByteLevel"}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ã": 3, "©": 4, "Ġa": 5, "[END]": 6}, "merges": ["a b"]}})");
}

} // namespace

TEST_CASE("tokens that a grammar allows come, and no others", "[grammar]") {
  token_grammar says(regular_expression("ab?|\u00e9"), token_spellings(small_tokenizer()), {6});
  CHECK(says.allowed(token_ids{}) == token_ids{0, 2, 3});
  CHECK(says.allowed(token_ids{0}) == token_ids{1, 6});
  CHECK(says.allowed(token_ids{3}) == token_ids{4});
  CHECK(says.allowed(token_ids{2}) == token_ids{6});
  CHECK(says.allowed(token_ids{2, 6}).empty());
  CHECK_FALSE(says.may_end(token_ids{}));
  CHECK(says.may_end(token_ids{0}));
  CHECK_FALSE(says.has_to_end(token_ids{0}));
  CHECK(says.has_to_end(token_ids{0, 1}));
  CHECK(says.has_to_end(token_ids{3, 4}));
  CHECK(says.has_to_end(token_ids{0, 6}));

  // One score more than there are tokens.
  std::vector<float> scores(8, 1);
  says(token_ids{}, scores); // the prompt is still being read
  CHECK(scores == std::vector<float>(8, 1));
  says(token_ids{5, 0}, scores);
  CHECK(scores == std::vector<float>{never, 1, never, never, never, never, 1, never});

  CHECK_THROWS_WITH(says.allowed(token_ids{0, 0}),
                    "grammar: expected tokens that it allows; found token 0 at place 1 of the text");
  CHECK_THROWS_WITH(says.allowed(token_ids{-1}),
                    "grammar: expected tokens that it allows; found token -1 at place 0 of the text");
  token_grammar other(regular_expression("ax"), token_spellings(small_tokenizer()), {6});
  CHECK_THROWS_WITH(
      other.allowed(token_ids{0}),
      "grammar: expected a token of the vocabulary that goes on with the text as it asks; found none");
}

TEST_CASE("tokens that are spelled alike are all allowed", "[grammar]") {
  const tokenizer words = golden_tokenizer("tokenizer_sentencepiece_bpe.model");
  token_grammar says(regular_expression("a+"), token_spellings(words), {2});
  std::set<std::string> tokens;
  for (const token_id id : says.allowed(token_ids{})) tokens.emplace(words.token(id));
  CHECK(tokens.contains("a"));
  CHECK(tokens.contains("\u2581a")); // which loses its space at the front
  CHECK(tokens.contains("<0x61>"));
  tokens.clear();
  for (const token_id id : says.allowed(token_ids{*words.id("a")})) tokens.emplace(words.token(id));
  CHECK(tokens.contains("<0x61>"));
  CHECK(tokens.contains("</s>"));
  CHECK_FALSE(tokens.contains("\u2581a"));
}

TEST_CASE("what is decoded is a text of the grammar, whatever the tokens are", "[grammar]") {
  const std::string expressions[] = {"(the|a|an) (cat|dog|h\u00e9lix)( (is|was) [a-z]{2,6}){0,3}",
                                     "[0-9]{2,5}", "[a-f\u00e0-\u00ff ]{3,12}", "\\w+(, \\w+)?"};
  for (const char* kind : kinds) {
    const tokenizer words = golden_tokenizer(kind);
    const token_spellings spelled(words);
    const token_id end = static_cast<token_id>(words.vocabulary_size()) - 1;
    token_table model = drawn_model(words.vocabulary_size(), 3, 2);
    std::size_t ended = 0, texts = 0;
    for (const std::string& expression : expressions) {
      CAPTURE(kind, expression);
      if (kind == kinds[1] && expression.find("\u00e9") != std::string::npos)
        continue; // of which it has no letter
      const byte_grammar says = regular_expression(expression);
      filtered_scores source(model, token_grammar(says, spelled, {end}));
      for (const hypothesis& h :
           sample(source, token_ids{5}, {.seed = 2, .samples = 20}, {.max_tokens = 60, .end = {end}})) {
        ++texts;
        if (h.ended != ended_by::token) continue;
        ++ended;
        const std::string text = words.decode(std::span(h.ids).first(h.ids.size() - 1));
        CAPTURE(text);
        CHECK(allows(says, text));
      }
    }
    CHECK(ended > texts / 2);
  }
}

TEST_CASE("what is allowed is what spells on, of each token by itself", "[grammar]") {
  for (const char* kind : kinds) {
    const tokenizer words = golden_tokenizer(kind);
    const token_spellings spelled(words);
    token_grammar says(regular_expression("(un)?[a-z]+( [0-9]+|\u00e9*)"), spelled, {});
    grammar::states states(regular_expression("(un)?[a-z]+( [0-9]+|\u00e9*)"));
    std::mt19937 random(6);
    for (int round = 0; round < 10; ++round) {
      token_ids written;
      for (int i = 0; i < 6; ++i) {
        const auto behind = [&](token_id id) {
          std::string text;
          for (std::size_t k = 0; k < written.size(); ++k) text += spelled.of(k == 0).bytes(written[k]);
          return state_behind(states, text + std::string(spelled.of(written.empty()).bytes(id)));
        };
        token_ids right;
        for (token_id id = 0; id < static_cast<token_id>(words.vocabulary_size()); ++id)
          if (!spelled.of(written.empty()).bytes(id).empty() && behind(id) != grammar::states::nowhere)
            right.push_back(id);
        if (right.empty()) break;
        REQUIRE(says.allowed(written) == right);
        written.push_back(right[random() % right.size()]);
      }
    }
  }
}

TEST_CASE("a model with random weights writes JSON by a schema, each time the same", "[grammar]") {
  const char* schema = R"({"type": "object", "properties": {
      "name": {"type": "string", "maxLength": 8}, "age": {"type": "integer", "minimum": 0, "maximum": 130},
      "tags": {"type": "array", "items": {"enum": ["x", "y", null]}, "maxItems": 3}, "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
      "required": ["name", "age", "tags"]})";
  for (const char* kind : {kinds[0], kinds[3], kinds[4]}) {
    CAPTURE(kind);
    const tokenizer words = golden_tokenizer(kind);
    const token_spellings spelled(words);
    const token_id end = static_cast<token_id>(words.vocabulary_size()) - 1;
    token_table model = drawn_model(words.vocabulary_size(), 7, 2);
    const auto written = [&] {
      filtered_scores source(model, token_grammar(json_schema(schema), spelled, {end}));
      return sample(source, token_ids{5}, {.seed = 9, .samples = 30}, {.max_tokens = 600, .end = {end}});
    };
    const std::vector<hypothesis> first = written(), again = written();
    std::size_t ended = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      CHECK(first[i].ids == again[i].ids);
      if (first[i].ended != ended_by::token) continue;
      ++ended;
      const std::string text = words.decode(std::span(first[i].ids).first(first[i].ids.size() - 1));
      CAPTURE(text);
      json value;
      REQUIRE_NOTHROW(value = json::parse(text));
      CHECK(value["age"] <= 130);
      CHECK(value["tags"].size() <= 3);
    }
    CHECK(ended > 20);
  }
}

TEST_CASE("a grammar goes along with beams", "[grammar]") {
  const tokenizer words = small_tokenizer();
  token_table model = drawn_model(7, 4, 2);
  filtered_scores source(model,
                         token_grammar(regular_expression("(a|ab|\u00e9){2}"), token_spellings(words), {6}));
  const auto beams =
      beam_search(source, token_ids{5}, {.width = 9, .best = 9}, {.max_tokens = 8, .end = {6}});
  std::set<std::string> texts;
  for (const hypothesis& h : beams) texts.insert(words.decode(h.ids));
  for (const std::string& text : texts) CHECK(allows(regular_expression("(a|ab|\u00e9){2}"), text));
  CHECK(texts.size() > 4);
}

TEST_CASE("a grammar that has seen many texts forgets, and says the same", "[grammar]") {
  const tokenizer words = golden_tokenizer(kinds[0]);
  const token_spellings spelled(words);
  token_grammar says(any_json_object(), spelled, {0}), fresh(any_json_object(), spelled, {0});
  token_ids written = words.encode("{\"a\":", {.special = false}).ids;
  const std::size_t begin = written.size();
  written.resize(70'000, *words.id("[")); // each is a state of its own, more than are kept
  const token_ids deep = says.allowed(written);
  CHECK(says.allowed(written) == deep);
  CHECK(fresh.allowed(std::span(written).first(begin + 9)) == deep);
  const auto short_text = std::span(written).first(begin + 3);
  CHECK(says.allowed(short_text) == fresh.allowed(short_text));
}

TEST_CASE("a text is read on from where it was left, and another from its begin", "[grammar]") {
  const tokenizer words = golden_tokenizer(kinds[0]);
  const token_spellings spelled(words);
  const token_id end = 0;
  const auto made = [&] { return token_grammar(any_json_object(), spelled, {end}); };
  std::vector<token_ids> texts;
  for (const char* text : {"{\"a\": [1, 2]}", "{\"a\": {\"b\": 1}}", "{\"a\": [1, 23"}) {
    token_ids ids = words.encode(text, {.special = false}).ids;
    if (ids.size() > 2 && text[std::strlen(text) - 1] == '}') ids.push_back(end);
    for (std::size_t length = 0; length <= ids.size(); ++length)
      texts.emplace_back(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(length));
  }
  token_grammar says = made();
  for (int round = 0; round < 2; ++round) { // as they grow, then in any order
    for (const token_ids& text : texts) {
      token_grammar fresh = made();
      CHECK(says.allowed(text) == fresh.allowed(text));
      CHECK(says.may_end(text) == fresh.may_end(text));
      CHECK(says.has_to_end(text) == fresh.has_to_end(text));
    }
    std::ranges::shuffle(texts, std::mt19937(7));
  }
  CHECK_THROWS_AS(says.allowed(words.encode("{]", {.special = false}).ids), error);
  CHECK(says.allowed(texts[0]) == made().allowed(texts[0]));
}
