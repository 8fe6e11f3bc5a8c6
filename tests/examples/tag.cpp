#include "trained_folder.hpp"

#include <tag/tagger.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace tag_program;

TEST_CASE("a tagger decodes what fits together", "[tag]") {
  const temporary_folder folder;
  write_trained(folder, models::rnn_tagger<sizes>, sizes_as_json(), 0.3f);
  folder.write("words.json", word_tokenizer({"the", "dog", "ran"}, "WhitespaceSplit"));
  const auto tags_with = [&](const char* table) {
    folder.write("tags.json", table);
    return tagger(folder.path()).tags_of(words_of("the dog ran\tthe dog  unknown ran the dog ran ran ran"));
  };
  const auto free =
      tags_with(R"({"tags": ["A", "B"], "start": [0, 0], "between": [[0, 0], [0, 0]], "end": [0, 0]})");
  CHECK(free.size() == 12);

  // Transitions outweigh the scores: tags alternate, and begin with what must begin.
  const auto strict = tags_with(
      R"({"tags": ["A", "B"], "start": [-1e6, 0], "between": [[-1e6, 0], [0, -1e6]], "end": [0, 0]})");
  REQUIRE(strict.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(strict[i] == (i % 2 == 0 ? "B" : "A"));

  const std::string in = folder.path().string() + "/tags.json: ";
  const auto problem = [&](const char* table) { return message_of<error>([&] { tags_with(table); }); };
  CHECK(problem("{}") == in + "expected {\"tags\", \"start\", \"between\", \"end\"}");
  CHECK(problem(R"({"tags": ["A", "B"], "start": [0], "between": [[0, 0], [0, 0]], "end": [0, 0]})") ==
        in + "expected 1 to 48 tags with a score of each as the first, as the last, and after each");
  folder.write("tags.json", R"({"tags": ["A"], "start": [0], "between": [[0]], "end": [0]})");
  tagger one(folder.path());
  CHECK(one.tags_of({}).empty());
  CHECK(one.tags_of(std::vector<std::string>(257, "dog")) == std::vector<std::string>(257, "A"));
}
