#include <semantic_search/nearest.hpp>
#include <semantic_search/passages.hpp>
#include <semantic_search/report.hpp>
#include <semantic_search/text_index.hpp>
#include <semantic_search/texts.hpp>

#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include <filesystem>
#include <fstream>
#include <string>

using namespace semantic_search;
namespace fs = std::filesystem;

namespace {

/// A folder that goes with the test.
struct temporary_folder {
  fs::path path = fs::temp_directory_path() / ("fovea_semantic_search_" + std::to_string(::getpid()));
  temporary_folder() { fs::create_directories(path); }
  ~temporary_folder() { fs::remove_all(path); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
};

std::size_t one_piece(std::string_view) { return 1; }

/// Texts as counts of two words: enough to tell which passage is nearest.
text_model counting_model(std::size_t& embedded) {
  return {.identity = hash_of("counting"),
          .width = 2,
          .pieces = one_piece,
          .encode =
              [](std::string_view text) {
                tokens found;
                for (std::size_t at = 0; (at = text.find_first_of("xy", at)) != std::string_view::npos; ++at)
                  found.push_back(text[at]);
                return found;
              },
          .embed =
              [&embedded](std::span<const tokens> texts) {
                std::vector<float> vectors;
                for (const tokens& t : texts) {
                  const auto x = static_cast<float>(std::count(t.begin(), t.end(), 'x'));
                  const auto y = static_cast<float>(std::count(t.begin(), t.end(), 'y'));
                  const float length = std::max(1.0f, std::sqrt(x * x + y * y));
                  vectors.insert(vectors.end(), {x / length, y / length});
                }
                embedded += texts.size();
                return vectors;
              }};
}

} // namespace

TEST_CASE("every word is in some passage and no passage is too long") {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += "word" + std::to_string(i) + (i % 40 == 39 ? ".\n\n" : i % 7 == 6 ? ".\n" : " ");
  for (const std::size_t limit : {8u, 33u, 100u}) {
    const auto found =
        split_passages(text, one_piece, {.limit = limit, .enough = limit / 4, .overlap = limit / 8});
    std::string joined;
    for (const passage& p : found) {
      const std::string line = one_line(std::string_view(text).substr(p.begin, p.end - p.begin));
      CHECK(static_cast<std::size_t>(std::count(line.begin(), line.end(), ' ')) < limit);
      CHECK(p.first_line ==
            1 + static_cast<std::size_t>(
                    std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(p.begin), '\n')));
      joined += ' ' + line + ' ';
    }
    for (int i = 0; i < 300; ++i) CHECK(joined.find("word" + std::to_string(i)) != std::string::npos);
  }
  CHECK(split_passages("", one_piece).empty());
  CHECK(split_passages(" \n\n \t\n", one_piece).empty());
}

TEST_CASE("an index is kept, reused, updated where a text changed, and refused where it is damaged") {
  const temporary_folder folder;
  folder.write("texts/a.txt", "x x x marks this.\n");
  folder.write("texts/b.txt", "y y y marks that.\n");
  folder.write("texts/c.bin", std::string("\xff\xfe\0\1", 4));
  const std::vector<fs::path> paths{folder.path / "texts"};
  std::size_t embedded = 0;
  const text_model model = counting_model(embedded);
  const index_update first = updated({}, find_texts(paths), model);
  CHECK(embedded == 2);
  CHECK(first.skipped.size() == 1);
  const fs::path file = folder.path / "index.safetensors";
  CHECK(!load_index(file));
  save_index(file, first.index);
  const auto kept = load_index(file);
  REQUIRE(kept);
  CHECK(*kept == first.index);

  const index_update again = updated(*kept, find_texts(paths), model);
  CHECK(!again.changed);
  CHECK(embedded == 2);
  folder.write("texts/d.txt", "x y is new here.\n");
  const index_update more = updated(*kept, find_texts(paths), model);
  CHECK(more.changed);
  CHECK(embedded == 3);

  const std::vector<float> question{0, 1};
  const auto hits = nearest(more.index, question, 2);
  REQUIRE(hits.size() == 2);
  CHECK(fs::path(more.index.files[hits[0].places[0].file].path).filename() == "b.txt");
  CHECK(hits[0].score == Approx(1));
  CHECK(report(more.index, hits, 80).find("b.txt:1") != std::string::npos);
  CHECK(json_report(more.index, hits, "y?").find("\"score\"") != std::string::npos);

  const auto size = fs::file_size(file);
  {
    std::fstream damage(file, std::ios::in | std::ios::out | std::ios::binary);
    damage.seekp(static_cast<std::streamoff>(size) - 3);
    damage.put('!');
  }
  CHECK_THROWS_AS(load_index(file), fovea::error);
  fs::resize_file(file, size / 2);
  CHECK_THROWS_AS(load_index(file), fovea::error);
}

TEST_CASE("each real file once; what is named must be a text") {
  const temporary_folder folder;
  const fs::path text = folder.write("texts/real.txt", "words\n"),
                 binary = folder.write("other.bin", std::string("a\0b", 3));
  fs::create_symlink("real.txt", folder.path / "texts/link.txt");
  const std::vector<fs::path> whole{folder.path / "texts"};
  const auto found = find_texts(whole);
  REQUIRE(found.size() == 1);
  CHECK(found[0].path.filename() == "real.txt");
  CHECK_THROWS_AS(find_texts(std::vector<fs::path>{folder.path / "missing"}), fovea::error);
  CHECK_THROWS_AS(read_text(binary), not_a_text);
  CHECK(read_text(text) == "words\n");
}
