#include "trained_folder.hpp"

#include <char_lm/character_model.hpp>

#include <cmath>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace char_lm_program;

namespace {

void write_model(const temporary_folder& folder, float scale) {
  write_trained(folder, models::char_lm<sizes>, sizes_as_json(), scale);
  folder.write("words.json", word_tokenizer({"the", "cat", "sat"}, "WhitespaceSplit"));
  folder.write("characters.json", R"(["t", "h", "e", "c", "a", "s", "é"])");
}

} // namespace

TEST_CASE("a language model over characters measures texts and writes", "[char_lm]") {
  const temporary_folder folder;
  write_model(folder, 0);
  {
    character_model uniform(folder.path());
    // Line ends are words too.
    const measured m = uniform.measure({"the cat", "", "sat  dog"});
    CHECK(m.perplexity == Approx(8000).epsilon(1e-6));
    CHECK(m.words == 6);
    CHECK(m.unknown == 1);
    CHECK_THROWS_WITH(uniform.measure({" ", ""}), "there are no words to read");
  }
  write_model(folder, 0.5f);
  character_model model(folder.path());
  // The state goes on from one step of 64 words to the next: a text of 200 words, its parts after each other.
  std::string line;
  for (int i = 0; i < 199; ++i) line += i % 3 == 0 ? "the " : i % 3 == 1 ? "cat " : "sat ";
  const double first = model.measure({line}).perplexity;
  CHECK(first == model.measure({line}).perplexity);
  CHECK(first != Approx(8000).epsilon(1e-3));

  // What is unknown is still read: its characters count.
  CHECK(model.measure({"the tah cat"}).perplexity != model.measure({"the tac cat"}).perplexity);
  CHECK(model.measure({"the tah cat"}).unknown == 1);

  const sampling_options how{.seed = 5, .samples = 3};
  const auto texts = model.write("the dog", how, 9);
  REQUIRE(texts.size() == 3);
  for (const std::string& text : texts) {
    CHECK(text.starts_with("the dog"));
    CHECK(text.find('<') == std::string::npos);
  }
  CHECK(model.write("the dog", how, 9) == texts);
  CHECK(model.write("the tah", {.temperature = 0, .samples = 1}, 5).size() == 1);

  folder.write("characters.json", "{}x");
  CHECK_THROWS_WITH(
      character_model(folder.path()),
      Catch::Matchers::StartsWith(folder.path().string() + "/characters.json: not valid JSON: "));
}
