#include <picture/attention_map.hpp>
#include <picture/canvas.hpp>

#include <fovea/base/error.hpp>

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"

#include <catch2/catch.hpp>

using namespace picture;

namespace {

const std::vector<attention_map> two{
    {"first", {"a", "b</script>"}, {"x", "y", "\xc3\xa9"}, {0.5f, 0.25f, 0.25f, 0.125f, 0, 0.875f}},
    {"second", {"a"}, {"x"}, {1}}};

/// Width and height in a PNG's header.
std::array<unsigned, 2> size_of_png(const std::string& bytes) {
  REQUIRE(bytes.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  const auto number = [&](std::size_t at) {
    unsigned n = 0;
    for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
    return n;
  };
  return {number(16), number(20)};
}

} // namespace

TEST_CASE("maps are written as data and read again", "[attention_map]") {
  const temporary_folder folder;
  const auto file = folder / "maps.json";
  save(two, file);
  const std::vector<attention_map> read = read_attention_maps(file);
  REQUIRE(read.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(read[i].title == two[i].title);
    CHECK(read[i].rows == two[i].rows);
    CHECK(read[i].columns == two[i].columns);
    CHECK(read[i].weights == two[i].weights);
  }
}

TEST_CASE("maps are drawn", "[attention_map]") {
  const temporary_folder folder;
  save(two, folder / "maps.svg");
  const std::string svg = content(folder / "maps.svg");
  CHECK(svg.find("<svg") != std::string::npos);
  CHECK(svg.find("</svg>") != std::string::npos);

  // A map of twice as many columns is wider by that many cells of 24 units, two dots a unit.
  attention_map wide{"", {"a"}, std::vector<std::string>(10, "x"), std::vector<float>(10, 0.1f)};
  save({&wide, 1}, folder / "wide.png");
  const auto before = size_of_png(content(folder / "wide.png"));
  wide.columns.resize(20, "x"), wide.weights.resize(20, 0.1f);
  save({&wide, 1}, folder / "wider.png");
  const auto after = size_of_png(content(folder / "wider.png"));
  CHECK(after[0] == before[0] + 10 * 24 * 2);
  CHECK(after[1] == before[1]);

  // What words hold cannot end the page's script.
  save(two, folder / "maps.html");
  const std::string page = content(folder / "maps.html");
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.find("\"b\\u003c/script>\"") != std::string::npos);
  CHECK(page.find("</script>") == page.rfind("</script>"));
  CHECK(page.find("http") == std::string::npos);
}

TEST_CASE("what cannot be drawn or read is said in one sentence", "[attention_map]") {
  const temporary_folder folder;
  CHECK_THROWS_WITH(save(two, "maps.gif"),
                    "maps.gif: expected a name that ends in .svg, .png, .html or .json");
  CHECK_THROWS_WITH(save({}, "maps.svg"), "maps.svg: there is no map to write");
  const attention_map thin{"thin", {"a", "b"}, {"x"}, {1}};
  CHECK_THROWS_WITH(save({&thin, 1}, "maps.svg"),
                    "maps.svg: map \"thin\": expected a weight for each of 2 rows and 1 columns, found 1");
  for (const char* ending : {".svg", ".png", ".html", ".json"}) {
    const auto file = folder / "absent" / (std::string("maps") + ending);
    CHECK_THROWS_WITH(save(two, file), Catch::Matchers::StartsWith(file.string() + ": cannot be written"));
  }
  const auto problem = [&](const std::string& text) {
    const auto file = folder.write("maps", text);
    const std::string whole = message_of<fovea::error>([&] { read_attention_maps(file); });
    REQUIRE(whole.starts_with(file.string() + ": "));
    return whole.substr(file.string().size() + 2);
  };
  CHECK(problem("{").starts_with("not valid JSON: "));
  CHECK(problem("{}") == "expected {\"maps\": [{\"title\", \"rows\", \"columns\", \"weights\"}]}");
  CHECK(problem("{\"maps\": []}") == "holds no map");
  CHECK(problem(R"({"maps": [{"rows": ["a"], "columns": ["x"], "weights": []}]})") ==
        "map 0: expected 1 rows of weights, found 0");
  CHECK(problem(R"({"maps": [{"rows": ["a"], "columns": ["x"], "weights": [[1, 2]]}]})") ==
        "map 0: expected rows of 1 weights, found one of 2");
}
