// The program generate, compiled for stories260K, on its trained weights and tokenizer in
// ../shared/data/stories260K.

#include <generate/configurations/stories260K.hpp>
#include <generate/generate.hpp>

#include <fovea/fovea.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace fovea;
using namespace generate_program;

namespace {

std::string folder() { return std::string(std::getenv("FOVEA_SHARED")) + "/data/stories260K/"; }

/// What the program prints.
std::string printed(const arguments& a) {
  const configuration c = configured();
  auto live = stream<"T">(declared, load_weights(a.weights), {.capacity = {{"B", 1}, {"T", c.context}}});
  stream_reader model(live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  std::string text;
  write_texts(model, load_tokenizer(a.tokenizer), a, c, [&](std::string_view piece) { text += piece; });
  return text;
}

arguments greedily(const std::vector<std::string>& prompts) {
  arguments a{
      .prompts = prompts, .weights = folder() + "stories260K.bin", .tokenizer = folder() + "tok512.bin"};
  a.how.temperature = 0;
  return a;
}

} // namespace

TEST_CASE("generate writes the published text from nothing", "[generate]") {
  std::ifstream file(folder() + "greedy_text_200.txt", std::ios::binary);
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  CHECK(printed(greedily({""})) == expected + "\n");
  // It is also what follows its own beginning, and it ends in front of a stop string.
  CHECK(expected.starts_with("Once upon a time, "));
  CHECK((printed(greedily({"Once upon a time"}))).starts_with(expected.substr(0, 400)));
  arguments stopped = greedily({""});
  stopped.stops = {"Lily. ", "She"};
  CHECK(printed(stopped) ==
        expected.substr(0, std::min(expected.find("Lily. "), expected.find("She"))) + "\n");
}

TEST_CASE("the same seed writes the same text", "[generate]") {
  arguments a = greedily({"The little dog", "The little dog"});
  a.how = {.temperature = 1, .top_p = 0.9, .seed = 3};
  a.tokens = 40;
  const std::string text = printed(a);
  const std::size_t half = text.find("\n\n");
  REQUIRE(half != std::string::npos);
  CHECK(text.substr(0, half) + "\n" == text.substr(half + 2));
  a.how.seed = 4;
  CHECK(printed(a) != text);
}
