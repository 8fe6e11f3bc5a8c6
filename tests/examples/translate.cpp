#include "trained_folder.hpp"

#include <translate/sizes.hpp>
#include <translate/translator.hpp>

#include <algorithm>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace translate_program;

namespace {

template <class M>
void write_translator(const temporary_folder& folder, const M& model, const char* name) {
  write_trained(folder, model, sizes_of(name), 0.3f);
  folder.write("source.json", word_tokenizer({"der", "Hund", ",", "."}, "BertPreTokenizer"));
  folder.write("target.json", word_tokenizer({"the", "dog", ",", "."}, "BertPreTokenizer"));
}

template <class M>
void check_translator(const M& model, const char* name) {
  INFO(name);
  const temporary_folder folder;
  write_translator(folder, model, name);
  translator words(folder.path());
  const std::string line = "der Hund, der.";
  const auto best = words.translate(line, {.width = 4, .best = 3});
  REQUIRE(best.size() >= 2);
  CHECK(std::is_sorted(best.begin(), best.end(),
                       [](const auto& a, const auto& b) { return a.score > b.score; }));
  const auto again = words.translate(line, {.width = 4, .best = 3});
  const auto greedy = words.translate(line, {.width = 1}), wider = words.translate(line, {.width = 5});
  for (std::size_t i = 0; i < best.size(); ++i) CHECK(again[i].ids == best[i].ids);
  CHECK(wider[0].score >= greedy[0].score);

  const picture::attention_map map = words.alignment(line, best[0]);
  CHECK(map.columns == std::vector<std::string>{"der", "Hund", ",", "der", ".", "</s>"});
  REQUIRE(map.rows.size() == best[0].ids.size());
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < map.columns.size(); ++j) sum += static_cast<double>(map.at(i, j));
    CHECK(sum == Approx(1).margin(1e-5));
  }
  CHECK_THROWS_WITH(words.translate(" ", {}), "there are no words to translate");
  std::string many;
  for (int i = 0; i < 65; ++i) many += "Hund ";
  CHECK_THROWS_WITH(words.translate(many, {}), "the line has 65 words; expected at most 64");
  CHECK(words.translate(many.substr(5), {.width = 1})[0].ids.size() <= 64);
}

} // namespace

TEST_CASE("each translator searches, and tells what its words looked at", "[translate]") {
  check_translator(models::bahdanau<bahdanau_sizes>, "bahdanau");
  check_translator(models::luong<luong_sizes>, "luong");
  check_translator(models::transformer<transformer_sizes>, "transformer");
}

TEST_CASE("words are written with the spaces between them", "[translate]") {
  CHECK(written({"A", "man", "'", "s", "dog", ",", "two", "-", "wheeled", "(", "old", ")", "."}) ==
        "A man's dog, two-wheeled (old).");
  CHECK(written({}).empty());
}

TEST_CASE("what a translator cannot open is said in one sentence", "[translate]") {
  const temporary_folder folder;
  const std::string in = folder.path().string() + "/";
  const auto problem = [&] { return message_of<error>([&] { translator(folder.path()); }); };
  CHECK(problem() == in + "sizes.json: cannot open: No such file or directory");
  folder.write("sizes.json", "{");
  CHECK(problem().starts_with(in + "sizes.json: not valid JSON: "));
  folder.write("sizes.json", R"({"model": "bart"})");
  CHECK(problem() == "expected the model bahdanau, luong or transformer, found bart");
  folder.write("sizes.json", sizes_of("luong").dump());
  CHECK(problem() == in + "weights.safetensors: no such file; the program's train.py writes it");

  write_translator(folder, models::luong<luong_sizes>, "luong");
  translator(folder.path());
  nlohmann::json sizes = sizes_of("luong");
  sizes["hidden"] = 7;
  folder.write("sizes.json", sizes.dump());
  CHECK(problem() ==
        in + "sizes.json: the weights have hidden 7; this program is compiled for 192 (--sizes prints "
             "what it takes)");
  sizes.erase("hidden");
  folder.write("sizes.json", sizes.dump());
  CHECK(problem() ==
        in + "sizes.json: the weights have no hidden; this program is compiled for 192 (--sizes prints "
             "what it takes)");
}
