// Runs of train_lm, and what it reads.

#include "../weights/temporary_folder.hpp"
#include "child_process.hpp"

#include <train_lm/lines.hpp>
#include <train_lm/words.hpp>

#include <fovea/base/error.hpp>
#include <fovea/weights/safetensors.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <sstream>

using namespace train_lm;

namespace {

namespace fs = std::filesystem;

struct outcome {
  int status;
  std::string said;
};
outcome run(const temporary_folder& folder, const std::vector<std::string>& options) {
  std::vector<std::string> words{FOVEA_TRAIN_LM};
  words.insert(words.end(), options.begin(), options.end());
  const int status = child_process(words, folder / "output").wait();
  std::ostringstream text;
  text << std::ifstream(folder / "output").rdbuf();
  return {status, text.str()};
}

std::string lines(int count) {
  const char* words[] = {"ann", "bob", "carla", "dan", "eve"};
  std::string text;
  for (int i = 0; i < count; ++i) text += std::string(words[i * 7 % 5]) + " " + words[i * 3 % 4] + "\n";
  return text;
}

} // namespace

TEST_CASE("bigrams are counted", "[train_lm]") {
  const temporary_folder folder;
  // <a 2/3, <b 1/3; a> 1/2 (of a: b, >); ab 1/2; b> 1.
  const fs::path text = folder.write("text.txt", "a\nab\nb\n");
  const auto [status, said] = run(folder, {text.string(), "--model", "bigram", "--samples", "0"});
  CHECK(status == 0);
  const double expected = -(2 * std::log(2 / 3.) + std::log(1 / 3.) + 2 * std::log(0.5)) / 7;
  std::ostringstream figure;
  figure.precision(4);
  figure << std::fixed << expected << " nats a character";
  CHECK_THAT(said, Catch::Contains("3 lines, 2 different characters") && Catch::Contains(figure.str()));
  const std::string one = folder.write("one.txt", "a\n").string();
  CHECK_THAT(run(folder, {one, "--model", "bigram", "--samples", "0"}).said,
             Catch::Contains("\n0.0000 nats a character"));
}

TEST_CASE("every neural model learns from lines and writes", "[train_lm]") {
  const temporary_folder folder;
  const fs::path text = folder.write("text.txt", lines(200));
  for (const std::string model : {"window", "rnn", "lstm", "char"}) {
    INFO(model);
    const std::string out = (folder / model).string();
    const auto learn = [&](const char* steps, const char* more) {
      std::vector<std::string> words{
          text.string(), "--model",   model, "--out",          out,   "--batch",
          "4",           "--threads", "1",   "--steps",        steps, "--evaluate-every",
          "2",           "--samples", "2",   "--save-seconds", "0"};
      if (*more != 0) words.emplace_back(more);
      return run(folder, words);
    };
    const outcome first = learn("3", "");
    INFO(first.said);
    CHECK(first.status == 0);
    CHECK_THAT(first.said, Catch::Contains("3 steps") && Catch::Contains("validation loss"));
    const outcome more = learn("5", "--resume");
    CHECK(more.status == 0);
    CHECK_THAT(more.said, Catch::Contains("5 steps"));
    CHECK(fs::file_size(folder / model / "report.html") > 0);
  }
}

TEST_CASE("words are counted, and a test text is measured once", "[train_lm]") {
  const temporary_folder folder;
  const fs::path text = folder.write("text.txt", lines(200)),
                 test = folder.write("test.txt", "ann bob\n\nzoe\n");
  const outcome counted =
      run(folder, {text.string(), "--model", "ngram", "--test", test.string(), "--samples", "1"});
  CHECK(counted.status == 0);
  CHECK_THAT(counted.said, Catch::Contains("540 words to learn from") &&
                               Catch::Contains("5 words, line ends counted, 20.0 % of them unknown") &&
                               Catch::Contains("test perplexity "));
  // What is held out begins within the one line; what is before is learned from.
  const fs::path line = folder.write("line.txt", "the cat sat and the cat ran and the dog sat");
  CHECK_THAT(run(folder, {line.string(), "--model", "ngram", "--samples", "0"}).said,
             Catch::Contains("10 words to learn from, 7 of the vocabulary, 20 different grams"));
  const outcome learned = run(folder, {text.string(), "--model", "rnn", "--test", test.string(), "--out",
                                       (folder / "rnn").string(), "--batch", "2", "--steps", "1", "--threads",
                                       "1", "--samples", "0"});
  INFO(learned.said);
  // The five words are fewer than a window.
  CHECK(learned.status == 2);
  CHECK_THAT(learned.said, Catch::Contains("expected a text of more than 35 tokens"));
  const outcome more = run(folder, {text.string(), "--model", "rnn", "--test", text.string(), "--out",
                                    (folder / "rnn").string(), "--batch", "2", "--steps", "2", "--threads",
                                    "1", "--samples", "0", "--resume"});
  INFO(more.said);
  CHECK(more.status == 0);
  CHECK_THAT(more.said, Catch::Contains("perplexity, the best ") && Catch::Contains("test perplexity "));
}

TEST_CASE("a checkpoint whose notes are no numbers is refused", "[train_lm]") {
  const temporary_folder folder;
  const std::string text = folder.write("text.txt", lines(200)).string(), out = (folder / "rnn").string();
  const auto learn = [&](const char* steps) {
    return run(folder, {text, "--model", "rnn", "--out", out, "--batch", "2", "--steps", steps, "--threads",
                        "1", "--samples", "0", "--resume"});
  };
  REQUIRE(learn("1").status == 0);
  const fs::path checkpoint = folder / "rnn" / "checkpoint.safetensors";
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"seconds", "soon"}, {"loss_sum", ""}, {"last_loss", "1e400"}, {"loss_count", "-1"}}) {
    INFO(name);
    const fovea::core::safetensors_file whole(checkpoint);
    auto notes = whole.metadata();
    notes[name] = value;
    fovea::save_safetensors(checkpoint, whole.tensors(), notes);
    const outcome refused = learn("2");
    CHECK(refused.status == 2);
    CHECK_THAT(refused.said, Catch::Contains("checkpoint.safetensors: expected a number in the note \"" +
                                             name + "\", found '" + value + "'"));
    fovea::save_safetensors(checkpoint, whole.tensors(), whole.metadata());
  }
  CHECK(learn("2").status == 0);
}

TEST_CASE("lines are read by their characters", "[train_lm]") {
  const temporary_folder folder;
  const fs::path text = folder.write("text.txt", "ba\n\nb\xc3\xa9\r\n");
  const character_lines read = read_lines(text, 4);
  REQUIRE(read.lines.size() == 2);
  CHECK(read.lines[0] == fovea::token_ids{2, 1});
  CHECK(read.lines[1] == fovea::token_ids{2, 3});
  CHECK(read.characters.decode(read.lines[1]) == "b\xc3\xa9");
  CHECK_THROWS_WITH(read_lines(text, 3),
                    text.string() + ": expected at most 2 different characters, found 3");
  CHECK_THROWS_WITH(read_lines(folder.write("empty.txt", "\n"), 9), Catch::Contains("empty.txt: "));
}

TEST_CASE("texts are read as words", "[train_lm]") {
  const temporary_folder folder;
  const fs::path text = folder.write("text.txt", "the cat  sat\n\nthe dog </s> sat\n");
  word_numbers numbers;
  const fovea::token_text read = numbers.read(text);
  CHECK(numbers.different() == std::vector<std::string>{"the", "cat", "sat", "</s>", "dog"});
  std::vector<std::int32_t> ids(read.size());
  read.copy(0, ids, 5);
  CHECK(ids == std::vector<std::int32_t>{0, 1, 2, 3, 0, 4, 3, 2, 3});
  // "the" and "sat" occur twice.
  const fovea::tokenizer words = vocabulary_of({"the", "cat", "sat", "the", "dog", "sat"}, 100);
  const fovea::token_ids known = ids_of(numbers.different(), words);
  CHECK(known[1] == unknown_word);
  CHECK(known[3] == line_end);
  CHECK(known[4] == unknown_word);
  CHECK(words.token(known[0]) == "the");
  CHECK(characters_of({"aab", "b\xc3\xa9", "b", "b"}, 2) == std::vector<std::string>{"b", "a"});
  // What is held out and tested gives the vocabulary nothing.
  arguments a;
  a.text = folder.write("more.txt", "a b\na b\nc c\n");
  a.validation = 0.4;
  a.test = text;
  const word_texts texts(a);
  CHECK(texts.learned_words() == std::vector<std::string>{"a", "b", "a", "b"});
  CHECK(texts.held_out.size() == 4);
  CHECK(texts.test.size() == read.size());
  CHECK_THROWS_WITH(numbers.read(folder.write("empty.txt", " \n")),
                    Catch::Contains("empty.txt: there are no words to read"));
}
