#include <fovea/runtime/tokenizers/text_stream.hpp>

#include "../../golden_folder.hpp"
#include "golden_lines.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <random>

using namespace fovea;
using namespace fovea::core;

namespace {

const std::string folder = std::string(test::golden_folder) + "/";

} // namespace

TEST_CASE("an unfinished character is held back", "[text_stream]") {
  const tokenizer tokens = load_tokenizer(folder + "tokenizer_bpe.tokenizer.json");
  // A smiling face: four bytes, and of this vocabulary at least two tokens.
  const auto ids = tokens.encode("a\U0001f600b").ids;
  text_stream text(tokens);
  std::vector<std::string> parts;
  for (const token_id id : ids)
    if (const std::string part = text.add(id); !part.empty()) parts.push_back(part);
  CHECK(parts == std::vector<std::string>{"a", "\U0001f600", "b"});
  CHECK(text.finish().empty());

  for (std::size_t kept = 2; kept + 2 < ids.size(); ++kept) {
    std::string begun;
    for (std::size_t i = 0; i < kept; ++i) begun += text.add(ids[i]);
    CHECK(begun == "a");
    CHECK(text.finish() == "\ufffd");
  }
}

TEST_CASE("a stream begins anew after its end, and leaves special tokens out", "[text_stream]") {
  const tokenizer tokens = load_tokenizer(folder + "tokenizer_wordpiece.tokenizer.json");
  const auto ids = tokens.encode("hello there").ids;
  text_stream text(tokens), all(tokens, false);
  for (int round = 0; round < 2; ++round) {
    std::string found, with_special;
    for (const token_id id : ids) {
      found += text.add(id);
      with_special += all.add(id);
    }
    CHECK(found + text.finish() == "hello there");
    CHECK(with_special + all.finish() == "[CLS] hello there [SEP]");
  }
  CHECK_THROWS_WITH(text.add(-1), "token id: expected 0 to 999; found -1");
}

TEST_CASE("any tokens in any order stream to what decode makes of them", "[text_stream]") {
  std::mt19937 random(3);
  for (const char* name : {"tokenizer_bpe.tokenizer.json", "tokenizer_wordpiece.tokenizer.json",
                           "tokenizer_unigram.tokenizer.json", "tokenizer_sentencepiece_unigram.model",
                           "tokenizer_sentencepiece_bpe.model"}) {
    const tokenizer tokens = load_tokenizer(folder + name);
    for (int round = 0; round < 300; ++round) {
      std::vector<token_id> ids(random() % 12);
      // The first 300 tokens hold the bytes.
      for (token_id& id : ids)
        id = static_cast<token_id>(random() % (round % 2 ? 300 : tokens.vocabulary_size()));
      const bool skip_special = random() % 2 != 0;
      text_stream stream(tokens, skip_special);
      std::string text;
      for (const token_id id : ids) text += stream.add(id);
      CHECK(text + stream.finish() == tokens.decode(ids, skip_special));
    }
  }
}
