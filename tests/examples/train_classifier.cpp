// Runs of train_classifier, and what it reads.

#include "program_run.hpp"

#include <classify/classifier.hpp>
#include <train_classifier/labelled_texts.hpp>
#include <train_classifier/split.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace train_classifier;

namespace {

namespace fs = std::filesystem;

/// Lines that one word tells apart.
std::string labelled_lines(int count) {
  const char* words[] = {"the", "film", "is", "quite", "long", "and", "new"};
  std::string text;
  for (int i = 0; i < count; ++i) {
    const bool good = i % 3 != 0;
    text += good ? "good\t" : "bad\t";
    for (int k = 0; k < 2 + i % 5; ++k) text += std::string(words[(i * 5 + k * 3) % 7]) + " ";
    text += good ? "fine\n" : "dull\n";
  }
  return text;
}

std::vector<std::string> command(const temporary_folder& folder, const std::string& texts,
                                 std::vector<std::string> more) {
  std::vector<std::string> words{
      FOVEA_TRAIN_CLASSIFIER,   texts, "--threads", "1", "--save-seconds", "0", "--batch", "8", "--out",
      (folder / "out").string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

} // namespace

TEST_CASE("every classifier learns, and classify opens what it wrote", "[train_classifier]") {
  for (const std::string model : {"kim", "rnn", "bert"}) {
    INFO(model);
    const temporary_folder folder;
    const std::string texts = folder.write("texts.tsv", labelled_lines(90)).string();
    const auto learn = [&](std::vector<std::string> more) {
      more.insert(more.end(), {"--model", model, "--evaluate-every", "2"});
      return run_program(folder, command(folder, texts, more));
    };
    const program_run first = learn({"--steps", "3"});
    INFO(first.said);
    CHECK(first.status == 0);
    CHECK_THAT(first.said, Catch::Contains("90 texts with 2 labels") && Catch::Contains("3 steps") &&
                               Catch::Contains("held out, right"));
    const program_run more = learn({"--steps", "5", "--resume"});
    INFO(more.said);
    CHECK(more.status == 0);
    classify_program::classifier opened(folder / "out");
    CHECK(opened.labels() == std::vector<std::string>{"bad", "good"});
    const std::vector<double> shares = opened.probabilities("the film is dull");
    CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1));
    CHECK(fs::file_size(folder / "out" / "report.html") > 0);
  }
}

TEST_CASE("folds are learned from one after the other, and resumed", "[train_classifier]") {
  const temporary_folder folder;
  const std::string
      bad = folder.write("bad.txt", "dull\ndull dull\nno , dull \xe9\n\ndull\ndull x\ndull y\n").string(),
      good = folder.write("good.txt", "fine\nfine fine\nyes \x93 fine\nfine\nfine z\nfine u\n").string();
  const std::vector<std::string> words{FOVEA_TRAIN_CLASSIFIER,
                                       "bad=" + bad,
                                       "good=" + good,
                                       "--encoding",
                                       "windows-1252",
                                       "--threads",
                                       "1",
                                       "--save-seconds",
                                       "0",
                                       "--batch",
                                       "8",
                                       "--folds",
                                       "3",
                                       "--validation",
                                       "0.3",
                                       "--minimum-count",
                                       "1",
                                       "--model",
                                       "rnn",
                                       "--rate",
                                       "1e-2",
                                       "--out",
                                       (folder / "out").string(),
                                       "--steps"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return run_program(folder, more);
  };
  const program_run one = with({"60"});
  INFO(one.said);
  CHECK(one.status == 0);
  CHECK_THAT(one.said, Catch::Contains("12 texts with 2 labels") &&
                           Catch::Contains("mean of 3 folds 100.00 %, deviation 0.00"));
  CHECK_THAT(content(folder / "out" / "folds.csv"),
             Catch::StartsWith("fold,steps,seconds,validation_loss,texts,right\n1,60,") &&
                 Catch::Contains("\n3,60,") && Catch::EndsWith(",4,4\n"));
  classify_program::classifier opened(folder / "out" / "fold2");
  CHECK(opened.probabilities("fine fine")[1] > 0.5);

  const program_run refused = with({"60"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.said, Catch::Contains("fold1/checkpoint.safetensors: there is a run in this folder"));
  fs::remove_all(folder / "out" / "fold3");
  const program_run resumed = with({"60", "--resume"});
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.said, Catch::Contains("mean of 3 folds 100.00 %"));
}

TEST_CASE("labelled texts are read", "[train_classifier]") {
  const temporary_folder folder;
  const std::string in = folder.path().string() + "/";
  const auto read = [&](const std::string& text, program::encoding from = program::encoding::utf_8) {
    return read_texts({folder.write("texts", text).string()}, from, 3);
  };
  const auto problem = [&](const std::string& text, program::encoding from = program::encoding::utf_8) {
    const std::string said = message_of<fovea::error>([&] { read(text, from); });
    return said.substr(std::min(said.size(), in.size()));
  };
  const labelled_texts some = read("b\tone\ttwo\n\na\tthree\r\nb\t \n");
  CHECK(some.labels == std::vector<std::string>{"a", "b"});
  CHECK(some.label_of == std::vector<int>{1, 0});
  CHECK(some.texts == std::vector<std::string>{"one\ttwo", "three"});
  CHECK(read("b\tcaf\xe9 \x80\na\tx\n", program::encoding::windows_1252).texts[0] ==
        "caf\xc3\xa9 \xe2\x82\xac");

  CHECK(problem("a\tone\nno label\n") == "texts:2: expected a label, a tab and a text");
  CHECK(problem("a\tone\n\tno label\n") == "texts:2: expected a label, a tab and a text");
  CHECK(problem("a\tone\n") == "texts: expected 2 to 3 different labels, found 1");
  CHECK(problem("a\t1\nb\t1\nc\t1\nd\t1\n") == "texts: expected 2 to 3 different labels, found 4");
  CHECK(problem("") == "texts: expected 2 to 3 different labels, found 0");
  CHECK_THAT(problem("a\tone\nb\tcaf\xe9\n"), Catch::StartsWith("texts:2: "));
  CHECK(problem("a\tone\nb\tt\x81\n", program::encoding::windows_1252) ==
        "texts:2: expected Windows-1252, found byte 129 at offset 3");
  CHECK(message_of<fovea::error>([&] {
          read_texts({"a=" + in + "none", "b"}, {}, 3);
        }) == in + "none: cannot open: No such file or directory");
  folder.write("one", "x\n");
  CHECK(message_of<fovea::error>([&] {
          read_texts({"a=" + in + "one", "b"}, {}, 3);
        }) == "b: expected LABEL=FILE, or one file of labelled lines alone");
}

TEST_CASE("folds share out all texts", "[train_classifier]") {
  std::vector<std::size_t> tested;
  for (std::size_t fold = 0; fold < 4; ++fold) {
    const split one = split_of(23, fold, 4, 0.25, 3);
    CHECK(one.test.size() == (fold < 3 ? 6 : 5));
    CHECK(one.held_out.size() == 5);
    std::vector<std::size_t> all = one.learned;
    for (const auto* part : {&one.held_out, &one.test}) all.insert(all.end(), part->begin(), part->end());
    std::ranges::sort(all);
    std::vector<std::size_t> every(23);
    std::iota(every.begin(), every.end(), std::size_t{0});
    CHECK(all == every);
    tested.insert(tested.end(), one.test.begin(), one.test.end());
  }
  std::ranges::sort(tested);
  CHECK(std::ranges::adjacent_find(tested) == tested.end());
  CHECK(tested.size() == 23);
  CHECK(split_of(23, 0, 0, 0.25, 3).test.empty());
  CHECK(split_of(23, 0, 0, 0.25, 3).learned != split_of(23, 0, 0, 0.25, 4).learned);
  CHECK_THROWS_WITH(split_of(3, 3, 4, 0.25, 3), "expected more texts to hold some out; found 3");
}

TEST_CASE("bad input to train_classifier is one line", "[train_classifier]") {
  const temporary_folder folder;
  const auto refusal = [&](const std::string& text, const std::vector<std::string>& more) {
    const program_run one = run_program(folder, command(folder, folder.write("texts", text).string(), more));
    CHECK(one.status == 2);
    CHECK(one.is_one_line());
    return one.said;
  };
  CHECK_THAT(refusal("a\tone\ntwo\n", {}), Catch::Contains("texts:2: expected a label, a tab and a text"));
  CHECK_THAT(refusal(labelled_lines(9), {"--folds", "1"}),
             Catch::Contains("--folds: expected 0, or 2 and more"));
  CHECK_THAT(refusal(labelled_lines(9), {"--model", "svm"}), Catch::Contains("--model"));
  CHECK_THAT(refusal(labelled_lines(9), {"--encoding", "latin"}), Catch::Contains("--encoding"));
}
