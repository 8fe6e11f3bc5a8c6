#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>

#include "../../file_content.hpp"
#include "../../golden_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/save_tokenizer.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;
using nlohmann::json;

namespace {

using list = std::vector<std::string>;
using id_list = std::vector<token_id>;

const std::string folder = std::string(test::golden_folder) + "/tokenizer_training";

list vocabulary_of(const tokenizer& tokens) {
  list spelt;
  for (token_id id = 0; id < static_cast<token_id>(tokens.vocabulary_size()); ++id)
    spelt.emplace_back(tokens.token(id));
  return spelt;
}

tokenizer trained(tokenizer_training how, const list& texts) {
  tokenizer_trainer trainer(std::move(how));
  for (const std::string& text : texts) trainer.add(text);
  return trainer.train();
}

/// Whether the tokenizer of the golden text is the one that Hugging Face tokenizers make.
void check(tokenizer_training how, const std::string& name) {
  const std::string text = content(folder + ".txt");
  const json expected = json::parse(content(folder + "_" + name + ".json"));
  const tokenizer made = trained(std::move(how), {text});
  CHECK(vocabulary_of(made) == expected["vocabulary"].get<list>());
  CHECK(made.encode(text, {.special = false}).ids == expected["ids"].get<id_list>());
  const json saved = json::parse(to_json(made));
  if (!expected["merges"].empty()) CHECK(saved["model"]["merges"] == expected["merges"]);
}

list spelt(const tokenizer& tokens, const std::string& text) {
  list result;
  for (const token_id id : tokens.encode(text, {.special = false}).ids) result.emplace_back(tokens.token(id));
  return result;
}

} // namespace

TEST_CASE("trained tokenizers are those of Hugging Face", "[tokenizer_trainer]") {
  check(byte_pair_training{.size = 420}, "bpe");
  check(word_training{.size = 60, .lower_case = true, .punctuation = true}, "words");
  // The golden case fixes the order of the continuing units by making them special.
  word_piece_training pieces{.size = 260};
  const json expected = json::parse(content(folder + "_wordpiece.json"));
  for (const json& token : expected["vocabulary"]) {
    const auto text = token.get<std::string>();
    if (!text.starts_with("##") && pieces.special.size() > 5) break;
    if (text.starts_with("##")) pieces.special.push_back(text);
  }
  REQUIRE(pieces.special.size() == 35);
  check(pieces, "wordpiece");
}

TEST_CASE("the most frequent pair is joined first, of equal ones that of the smallest ids",
          "[tokenizer_trainer]") {
  // "ab" four times, "bc" three times, "ca" three times; after "ab": "abc" and "cab" three times each.
  const tokenizer made =
      trained(byte_pair_training{.size = 258, .minimum_count = 1, .special = {}}, {"abcab abcab"});
  CHECK(made.token(256) == "ab");
  CHECK(made.token(257) == "cab"); // "c" before "ab": its id is smaller
  CHECK(spelt(made, "abcab") == list{"ab", "cab"});
}

TEST_CASE("rare pairs are not joined, and the vocabulary may stay small", "[tokenizer_trainer]") {
  const auto size = [](std::size_t least) {
    return trained(byte_pair_training{.size = 1000, .minimum_count = least, .special = {}}, {"ab ab ac"})
        .vocabulary_size();
  };
  CHECK(size(4) == 256);
  CHECK(size(3) == 256); // " a" twice, "ab" twice
  CHECK(size(2) > 256);
  CHECK(size(1) > size(2));
}

TEST_CASE("texts in another order or other parts give the same tokenizer", "[tokenizer_trainer]") {
  const list texts{"the theatre there", " of this\n", "and that then", "\n\u00e9t\u00e9 the"};
  const list turned(texts.rbegin(), texts.rend());
  for (const tokenizer_training& how :
       {tokenizer_training(byte_pair_training{.size = 270}),
        tokenizer_training(word_piece_training{.size = 60}), tokenizer_training(word_training{}),
        tokenizer_training(character_training{})})
    CHECK(to_json(trained(how, texts)) == to_json(trained(how, turned)));
}

TEST_CASE("byte-level BPE takes any text", "[tokenizer_trainer]") {
  for (const bool prefix_space : {false, true}) {
    const tokenizer made =
        trained(byte_pair_training{.size = 300, .prefix_space = prefix_space}, {content(folder + ".txt")});
    CHECK(made.id("<|endoftext|>") == 0);
    for (const std::string text : {" ", "  \n", " new \u4e16\U0001f600 words", " x"})
      CHECK(made.decode(made.encode(text).ids) == (prefix_space && text[0] != ' ' ? " " + text : text));
    CHECK(made.encode("").ids.empty());
    CHECK(made.encode("a<|endoftext|>").ids.back() == 0);
  }
}

TEST_CASE("word pieces take BERT's special tokens around a text", "[tokenizer_trainer]") {
  const tokenizer made = trained(word_piece_training{.size = 100}, {"Caf\u00e9 cafe CAFE cafes \U0001f600"});
  CHECK(spelt(made, "caf\u00c9s") == list{"cafe", "##s"});
  CHECK(spelt(made, "zebra") == list{"[UNK]"});
  CHECK(made.encode("cafe").ids.front() == made.id("[CLS]"));
  CHECK(made.encode("cafe").ids.back() == made.id("[SEP]"));
  CHECK(made.decode(made.encode("cafe cafes").ids) == "cafe cafes");

  // Only the most frequent characters; what has others is unknown.
  const tokenizer few = trained(word_piece_training{.size = 100, .characters = 2}, {"aab aab ac"});
  CHECK(spelt(few, "ab") == list{"a", "##b"});
  CHECK(spelt(few, "ac") == list{"[UNK]"});

  const tokenizer cased =
      trained(word_piece_training{.size = 100, .special = {}, .lower_case = false}, {"Ab Ab"});
  CHECK(cased.token(0) == "[UNK]");
  CHECK(spelt(cased, "Ab ab") == list{"Ab", "[UNK]"});
  CHECK(cased.encode("Ab").ids.size() == 1);
}

TEST_CASE("words by their count", "[tokenizer_trainer]") {
  const std::string text = "b a, c\u3000b \U0001f600 a, b\tC";
  CHECK(vocabulary_of(trained(word_training{}, {text})) == list{"<unk>", "b", "a,", "C", "c", "\U0001f600"});
  CHECK(vocabulary_of(trained(word_training{.minimum_count = 2}, {text})) == list{"<unk>", "b", "a,"});
  CHECK(vocabulary_of(trained(word_training{.size = 3, .special = {"<s>", "<unk>"}}, {text})) ==
        list{"<s>", "<unk>", "b"});
  CHECK(vocabulary_of(trained(word_training{.unknown = "", .lower_case = true, .punctuation = true},
                              {text})) == list{"b", ",", "a", "c", "\U0001f600"});

  const tokenizer made = trained(word_training{.minimum_count = 2}, {text});
  CHECK(spelt(made, " a, x  b ") == list{"a,", "<unk>", "b"});
  CHECK(spelt(made, " ").empty());
  CHECK(made.decode(made.encode("b a,").ids) == "b a,");
  const tokenizer strict = trained(word_training{.unknown = ""}, {"a b"});
  CHECK_THROWS_WITH(strict.encode("a x"), "text: 'x' is no token, and the vocabulary has no unknown token");
}

TEST_CASE("characters by their code points", "[tokenizer_trainer]") {
  const tokenizer made = trained(character_training{.special = {"<s>"}}, {"ba\u00e9", " \U0001f600a\n"});
  CHECK(vocabulary_of(made) == list{"<unk>", "<s>", "\n", " ", "a", "b", "\u00e9", "\U0001f600"});
  CHECK(made.encode("<s>ab\u00e9x").ids == id_list{1, 4, 5, 6, 0});
  CHECK(made.decode(made.encode("a\u00e9 \U0001f600\nb").ids) == "a\u00e9 \U0001f600\nb");
  CHECK(made.encode("").ids.empty());
  CHECK_THROWS_WITH(made.encode("a\xff"), "text: expected UTF-8; found byte 0xff at offset 1");

  const tokenizer plain = trained(character_training{.unknown = ""}, {"hello"});
  CHECK(vocabulary_of(plain) == list{"e", "h", "l", "o"});
  CHECK(plain.encode("hexo").ids == id_list{1, 0, 3});
}

TEST_CASE("the 256 bytes", "[tokenizer_trainer]") {
  const tokenizer bytes = byte_tokenizer();
  CHECK(bytes.vocabulary_size() == 256);
  const std::string text = "a\u00e9 \U0001f600\n";
  id_list expected;
  for (const char c : text) expected.push_back(static_cast<unsigned char>(c));
  CHECK(bytes.encode(text).ids == expected);
  CHECK(bytes.decode(expected) == text);
  const tokenizer special = byte_tokenizer({"<pad>", "<s>"});
  CHECK(special.encode("<s>a").ids == id_list{1, 2 + 'a'});
  CHECK(special.decode(id_list{1, 2 + 'a'}) == "a");
}

TEST_CASE("progress is told while pairs are joined", "[tokenizer_trainer]") {
  tokenizer_trainer trainer(byte_pair_training{.size = 260, .minimum_count = 1, .special = {}});
  trainer.add("hello hello");
  std::vector<std::size_t> seen;
  trainer.train([&](std::size_t done, std::size_t size) {
    CHECK(size == 260);
    seen.push_back(done);
  });
  CHECK(seen == std::vector<std::size_t>{257, 258, 259, 260});
}

TEST_CASE("what can't be trained is refused", "[tokenizer_trainer]") {
  for (const tokenizer_training& how :
       {tokenizer_training(word_piece_training{}), tokenizer_training(word_training{})})
    for (const std::string text : {"", "   \n\t"})
      CHECK_THROWS_WITH(trained(how, {text}), "training: expected a text with words; found none");
  CHECK_THROWS_WITH(trained(byte_pair_training{}, {}), "training: expected a text with words; found none");
  CHECK_THROWS_WITH(trained(byte_pair_training{.size = 256}, {"a"}),
                    "training: expected a size of at least 257, for the special tokens and the single "
                    "characters; found 256");
  CHECK_THROWS_WITH(tokenizer_trainer(byte_pair_training{.special = {"<s>", "<s>"}}),
                    "token '<s>' has two ids, 0 and 1");
  CHECK_THROWS_WITH(tokenizer_trainer(character_training{.special = {""}}),
                    "token 1: expected a text; found an empty one");
  CHECK_THROWS_WITH(tokenizer_trainer(word_training{.special = {"\xff"}}),
                    "token 1: expected UTF-8; found '\ufffd'");
  CHECK_THROWS_WITH(tokenizer_trainer(word_piece_training{.unknown = ""}),
                    "training: WordPiece needs an unknown token");
  tokenizer_trainer trainer(character_training{});
  CHECK_THROWS_WITH(trainer.add("ab\xc3"), "text: expected UTF-8; found byte 0xc3 at offset 2");
  trainer.add("c");
  CHECK(vocabulary_of(trainer.train()) == list{"<unk>", "c"});
}
