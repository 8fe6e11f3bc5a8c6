// Runs of train_translator, what it reads, and `translate` on what it writes.

#include "program_run.hpp"

#include <train_translator/parallel_lines.hpp>
#include <translate/translator.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace train_translator;

namespace {

namespace fs = std::filesystem;

program_run run(const temporary_folder& folder, const std::vector<std::string>& options) {
  std::vector<std::string> words{FOVEA_TRAIN_TRANSLATOR};
  words.insert(words.end(), options.begin(), options.end());
  return run_program(folder, words);
}

/// Lines of one to five words in one language or the other.
std::string lines(int count, bool german) {
  const char* words[][2] = {{"Hund", "dog"}, {"Katze", "cat"}, {"Mann", "man"}, {"rot", "red"}};
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k <= i % 5; ++k)
      text += std::string(words[(i * 7 + k * k) % 4][german ? 0 : 1]) + (k < i % 5 ? " " : "");
    text += ".\n";
  }
  return text;
}

} // namespace

TEST_CASE("every translator learns, goes on to the same numbers, and translates", "[train_translator]") {
  const temporary_folder folder;
  const std::string source = folder.write("a.de", lines(23, true)).string(),
                    target = folder.write("a.en", lines(23, false)).string(),
                    held_source = folder.write("b.de", lines(7, true)).string(),
                    held_target = folder.write("b.en", lines(7, false)).string();
  for (const std::string model : {"bahdanau", "luong", "transformer"}) {
    INFO(model);
    const auto learn = [&](const fs::path& out, const char* steps, const char* schedule, const char* more) {
      std::vector<std::string> words{
          source,   target,     "--held-out", held_source,        held_target, "--model",
          model,    "--out",    out.string(), "--batch",          "5",         "--threads",
          "1",      "--steps",  steps,        "--evaluate-every", "2",         "--schedule",
          schedule, "--warmup", "3",          "--samples",        "2",         "--save-seconds",
          "0"};
      if (*more != 0) words.emplace_back(more);
      return run(folder, words);
    };
    const fs::path whole = folder / (model + "_whole"), parts = folder / (model + "_parts");
    const program_run at_once = learn(whole, "7", "noam", "");
    INFO(at_once.said);
    REQUIRE(at_once.status == 0);
    CHECK_THAT(at_once.said, Catch::Contains("23 pairs to learn from, 7 held out; 9 and 9 different words") &&
                                 Catch::Contains("5 batches see every pair once") &&
                                 Catch::Contains("7 steps") && Catch::Contains("(dog.)"));
    REQUIRE(learn(parts, "4", "noam", "").status == 0);
    REQUIRE(learn(parts, "7", "noam", "--resume").status == 0);
    CHECK(content(parts / "weights.safetensors") == content(whole / "weights.safetensors"));
    CHECK(learn(parts, "9", "cosine", "--resume").status == 2);

    CHECK_THAT(content(whole / "report.html"), Catch::Contains("<img alt=\"maps\""));
    CHECK(fs::file_size(whole / "maps.svg") > 0);
    translate_program::translator translator(whole);
    CHECK(translator.translate("Hund rot.", {.width = 2}).front().ids.size() > 0);
  }
}

TEST_CASE("a translator learns lines by heart", "[train_translator][full]") {
  const temporary_folder folder;
  const std::string source = folder.write("a.de", lines(23, true)).string(),
                    target = folder.write("a.en", lines(23, false)).string();
  for (const std::string model : {"bahdanau", "luong", "transformer"}) {
    INFO(model);
    const fs::path out = folder / model;
    const program_run learned =
        run(folder, {source, target, "--held-out", source, target, "--model", model, "--out", out.string(),
                     "--batch", "8", "--threads", "1", "--steps", "400", "--warmup", "40"});
    INFO(learned.said);
    REQUIRE(learned.status == 0);
    translate_program::translator translator(out);
    const parallel_lines known = read_parallel_lines(source, target);
    std::size_t right = 0;
    for (std::size_t i = 0; i < known.size(); ++i)
      right += translator.translate(known.source[i], {.width = 4}).front().text == known.target[i];
    CHECK(right >= 20);
  }
}

TEST_CASE("what train_translator cannot learn from is said in one sentence", "[train_translator]") {
  const temporary_folder folder;
  const std::string three = folder.write("three.de", lines(3, true)).string(),
                    two = folder.write("two.en", lines(2, false)).string(),
                    empty = folder.write("empty.en", "").string(),
                    blank = folder.write("blank.en", "\n\n\n").string(), out = (folder / "out").string();
  const auto said = [&](const std::vector<std::string>& options) {
    const auto [status, text] = run(folder, options);
    CHECK(status == 2);
    CHECK(std::count(text.begin(), text.end(), '\n') == 1);
    return text;
  };
  CHECK(said({three, two, "--out", out}) ==
        "train_translator: expected line n of one file to translate line n of the other, found 3 lines in " +
            three + " and 2 in " + two + "\n");
  CHECK(said({three, empty, "--out", out}) ==
        "train_translator: " + empty + ": expected lines to learn from, found none\n");
  CHECK_THAT(said({three, blank, "--out", out}), Catch::Contains(blank + ": "));
  CHECK_THAT(said({three, folder / "none"}), Catch::Contains("none: cannot open: "));
  CHECK_THAT(said({three, three, "--longest", "1", "--out", out}),
             Catch::Contains("expected pairs to learn from, both of at least one word and at most 1"));
  CHECK_THAT(said({three, three, "--model", "gpt"}), Catch::Contains("--model"));
}

TEST_CASE("parallel lines become pairs of tokens", "[train_translator]") {
  const temporary_folder folder;
  const parallel_lines read =
      read_parallel_lines(folder.write("a", "Ein Hund, ein Hund\r\n\nein Mann\nein\n"),
                          folder.write("b", "a dog\nb\na man a\na dog b man x\n"));
  REQUIRE(read.size() == 4);
  CHECK(read.part(1, 3).target == std::vector<std::string>{"b", "a man a"});
  const fovea::tokenizer source = vocabulary_of(read.source, 100, "a"),
                         target = vocabulary_of(read.target, 6, "b");
  // By how often they come, then by their spelling; "Mann" and "," come once.
  CHECK(source.vocabulary_size() == 6);
  CHECK(source.token(4) == "ein");
  CHECK(source.token(5) == "Hund");
  CHECK(target.token(4) == "a");
  CHECK(target.token(5) == "b");
  const token_pairs pairs = pairs_of(read, source, target, 5);
  REQUIRE(pairs.size() == 3); // the second line has no words
  CHECK(pairs.source[0] == fovea::token_ids{3, 5, 3, 4, 5, 2});
  CHECK(pairs.read[1] == fovea::token_ids{1, 4, 3, 4});
  CHECK(pairs.written[1] == fovea::token_ids{4, 3, 4, 2});
  CHECK(pairs.lengths() == std::vector<std::size_t>{9, 7, 8});
  CHECK(pairs.longest_source() == 6);
  CHECK(pairs.longest_target() == 6);
  CHECK(pairs_of(read, source, target, 3).size() == 1);
}
