#include <fovea/weights/word_vectors.hpp>

#include "../gguf_writer.hpp"
#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <limits>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

word_vectors opened(const std::string& bytes) {
  const temporary_folder folder;
  return load_word_vectors(folder.write("x.vec", bytes));
}
std::string refusal(const std::string& bytes) {
  return message_of<error>([&] { opened(bytes); });
}
std::vector<float> vector_of(const word_vectors& from, const std::string& word) {
  const auto row = from.find(word);
  REQUIRE(row);
  return {from.row(*row).begin(), from.row(*row).end()};
}

const std::string rho = "\xcf\x81";

} // namespace

TEST_CASE("word2vec's text and GloVe's, with either end of line and blanks before it", "[word_vectors]") {
  for (const std::string end : {"\n", "\r\n", " \n"})
    for (const std::string head : {"", "3 2"}) {
      const word_vectors found = opened((head.empty() ? "" : head + end) + "the 0.5 -1e-3" + end + rho +
                                        " 2 3" + end + "</s> 4 5" + (end == " \n" ? "" : end));
      CHECK(found.words() == std::vector<std::string>{"the", rho, "</s>"});
      CHECK(found.width() == 2);
      CHECK(vector_of(found, "the") == std::vector<float>{0.5f, -1e-3f});
      CHECK(vector_of(found, rho) == std::vector<float>{2, 3});
      CHECK(vector_of(found, "</s>") == std::vector<float>{4, 5});
      CHECK_FALSE(found.find("th"));
      CHECK_FALSE(found.find("zzz"));
    }
}

TEST_CASE("word2vec's binary format, with and without line feeds", "[word_vectors]") {
  for (const std::string end : {"\n", ""}) {
    const word_vectors found = opened("2 3\nthe " + bytes_of(std::vector<float>{1, 2, 3}) + end + rho + " " +
                                      bytes_of(std::vector<float>{-4, 5.25f, 6}) + end);
    CHECK(found.words() == std::vector<std::string>{"the", rho});
    CHECK(vector_of(found, rho) == std::vector<float>{-4, 5.25f, 6});
  }
}

TEST_CASE("a word of GloVe's may hold spaces, and of a repeated word the first vector counts",
          "[word_vectors]") {
  const word_vectors found = opened("a 1 2\n. . . 3 4\na 5 6\n");
  CHECK(vector_of(found, ". . .") == std::vector<float>{3, 4});
  CHECK(vector_of(found, "a") == std::vector<float>{1, 2});
  CHECK(found.words().size() == 3);
}

TEST_CASE("a table for a vocabulary has the vectors in its order", "[word_vectors]") {
  const word_vectors found = opened("a 1 2\nb 3 4\n");
  const std::vector<std::string> vocabulary{"b", "c", "a", "b"};
  const weight_tensor zeros = found.table(vocabulary);
  CHECK(zeros.shape == std::vector<std::size_t>{4, 2});
  CHECK(zeros.values == std::vector<float>{3, 4, 0, 0, 1, 2, 3, 4});
  const std::vector<float> unknown{7, 8}, three{1, 2, 3};
  CHECK(found.table(vocabulary, unknown).values == std::vector<float>{3, 4, 7, 8, 1, 2, 3, 4});
  CHECK(message_of<error>([&] { found.table(vocabulary, three); }) ==
        "word vectors: expected a vector of width 2 for unknown words; found 3 values");
}

TEST_CASE("load_weights takes word vectors as one tensor", "[word_vectors]") {
  const temporary_folder folder;
  for (const std::string text : {"2 2\na 1 2\nb 3 4\n", "a 1 2\nb 3 4\n"}) {
    const model_weights found = load_weights(folder.write("x.txt", text));
    const std::vector<wanted_parameter> wanted{{"vectors", {2, 2}}};
    CHECK(found.resolve(wanted)[0].data[3] == 4);
  }
}

TEST_CASE("word vectors are read from regular files", "[word_vectors]") {
  const temporary_folder folder;
  for_each_irregular(folder, [](const std::filesystem::path& path, const std::string& what) {
    CHECK(message_of<error>([&] { load_word_vectors(path); }) == path.string() + what);
  });
}

TEST_CASE("each malformed file of word vectors is refused with a sentence of its own", "[word_vectors]") {
  CHECK_THAT(refusal(""),
             Contains("x.vec: line 1: expected a word and its numbers, or the numbers of words"));
  CHECK_THAT(refusal("hello world\n"), EndsWith("found 'hello world'"));
  CHECK_THAT(refusal("3 2\na 1 2\nb 3 4\n"), EndsWith("x.vec: the first line says 3 words; found 2"));
  CHECK_THAT(refusal("1 2\na 1 2\nb 3 4\n"), EndsWith("the first line says 1 words; found 2"));
  CHECK_THAT(refusal("2 2\na 1 2\nb 3\n"), EndsWith("line 3: expected a word and 2 numbers; found 'b 3'"));
  CHECK_THAT(refusal("a 1 2\nb 3 x\n"), EndsWith("line 2: expected a word and 2 numbers; found 'b 3 x'"));
  CHECK_THAT(refusal("a 1 2\n\nb 3 4\n"), EndsWith("line 2: expected a word and 2 numbers; found ''"));
  CHECK_THAT(refusal("a 1 2\nb 3 nan\n"), EndsWith("word 'b': expected finite values; found nan"));
  const std::string one = "a " + bytes_of(std::vector<float>{1, 2});
  CHECK_THAT(refusal("2 2\n" + one), EndsWith("the file is cut short: expected word 2 of 2 and its vector"));
  CHECK_THAT(refusal("1 2\n" + one.substr(0, 9)),
             Contains("the file is cut short: expected 8 bytes of the vector of word 1 of 1"));
  CHECK_THAT(refusal("1 2\n" + one + "b "), EndsWith("2 bytes follow the last of 1 words"));
  CHECK_THAT(refusal("1 1\na " + bytes_of(std::numeric_limits<float>::infinity())),
             EndsWith("word 'a': expected finite values; found inf"));
  CHECK(message_of<error>([] {
          word_vectors({"a", "b"}, {1, 2, 3}, 2, "mine");
        }) == "mine: expected 2 vectors of width 2, at least 1; found 3 values");
}

TEST_CASE("a line of a long word and many numbers is read in one go", "[word_vectors]") {
  std::string line(std::size_t{1} << 19, 'a');
  for (int i = 0; i < (1 << 18); ++i) line += " 1";
  CHECK(is_word_vectors(std::as_bytes(std::span(line))));
}
