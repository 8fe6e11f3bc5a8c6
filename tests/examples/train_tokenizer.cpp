#include "train_tokenizer/text_parts.hpp"

#include <fovea/runtime/tokenizers/save_tokenizer.hpp>
#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>

#include <catch2/catch.hpp>

#include <random>

using namespace train_tokenizer;

TEST_CASE("a text's parts are the text, cut in front of line feeds", "[train_tokenizer]") {
  using list = std::vector<std::string_view>;
  CHECK(parts_of("", 1).empty());
  CHECK(parts_of("a\nb\nc", 1) == list{"a", "\nb", "\nc"});
  CHECK(parts_of("a\nb\nc", 3) == list{"a\nb", "\nc"});
  CHECK(parts_of("a\n\n\nb\n c\u3000\nd", 1) == list{"a\n\n", "\nb\n c\u3000", "\nd"});
  CHECK(parts_of("a\n", 1) == list{"a\n"});
}

TEST_CASE("a text's parts train what the whole text trains", "[train_tokenizer]") {
  std::mt19937 random(2);
  const std::string letters = "ab\n\n  '\t";
  for (int round = 0; round < 100; ++round) {
    std::string text = "a";
    for (int i = 0; i < 60; ++i) text += letters[random() % letters.size()];
    fovea::tokenizer_trainer whole(fovea::byte_pair_training{.size = 290}),
        parts(fovea::byte_pair_training{.size = 290});
    whole.add(text);
    for (const std::string_view part : parts_of(text, 4)) parts.add(part);
    CHECK(fovea::core::to_json(whole.train()) == fovea::core::to_json(parts.train()));
  }
}

TEST_CASE("words are what stands between white space", "[train_tokenizer]") {
  CHECK(count_words("") == 0);
  CHECK(count_words(" \n") == 0);
  CHECK(count_words("a, b\u3000c-d \U0001f600\n") == 4);
}
