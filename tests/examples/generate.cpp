#include <generate/generate.hpp>
#include <generate/named_format.hpp>

#include "../weights/temporary_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/token_table.hpp>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <catch2/catch.hpp>

using namespace generate_program;
using Catch::Matchers::Contains;

namespace {

const configuration tiny{
    .name = "tiny", .context = 8, .vocabulary = 7, .begin = 5, .end = {6}, .metadata = {}};

/// Tokens "a", "b", "c" and the two bytes of U+00E9, spelt as GPT-2 does; 5 and 6 are special.
fovea::tokenizer letters() {
  return fovea::parse_tokenizer(
      R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "Ã": 3, "©": 4, "<s>": 5, "</s>": 6},
    "merges": []}, "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
    "decoder": {"type": "ByteLevel"},
    "added_tokens": [{"id": 5, "content": "<s>", "special": true, "single_word": false, "lstrip": false,
                      "rstrip": false, "normalized": false},
                     {"id": 6, "content": "</s>", "special": true, "single_word": false, "lstrip": false,
                      "rstrip": false, "normalized": false}]})");
}

/// What is printed for tokens one by one, a piece a list entry, up to the stop.
std::vector<std::string> pieces(const std::vector<std::string>& stops, const fovea::token_ids& ids) {
  std::vector<std::string> found;
  printed_text text(letters(), stops, [&](std::string_view piece) {
    if (!piece.empty()) found.emplace_back(piece);
  });
  for (const fovea::token_id id : ids)
    if (!text.add(id)) break;
  text.finish();
  return found;
}

arguments parsed(const std::vector<std::string>& words) {
  arguments a;
  CLI::App app;
  declare(app, a);
  app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  return completed(a);
}
std::string refusal(const std::vector<std::string>& words) {
  return message_of<std::exception>([&] { parsed(words); });
}

using texts = std::vector<std::string>;

static_assert(std::same_as<named_format<"f32">, fovea::f32> &&
              std::same_as<named_format<"q8_0">, fovea::q8_0>);
static_assert(std::same_as<named_format<"integer_q4_0">, fovea::integer_products<fovea::q4_0>>);
static_assert(std::same_as<named_format<"bf16_products">, fovea::bf16_products>);

} // namespace

TEST_CASE("tokens are printed as they come, characters whole", "[generate]") {
  CHECK(pieces({}, {0, 1, 5, 2}) == texts{"a", "b", "c"});
  CHECK(pieces({}, {0, 3, 4, 1}) == texts{"a", "\xc3\xa9", "b"});
  CHECK(pieces({}, {0, 3}) == texts{"a", "\xef\xbf\xbd"});
}

TEST_CASE("a stop string ends the text in front of it, also across tokens", "[generate]") {
  CHECK(pieces({"bc"}, {0, 1, 2, 0}) == texts{"a"});
  CHECK(pieces({"bc"}, {0, 1, 1, 2}) == texts{"a", "b"});
  CHECK(pieces({"bc"}, {0, 1, 0}) == texts{"a", "ba"});
  CHECK(pieces({"bc"}, {0, 1}) == texts{"a", "b"});
  CHECK(pieces({"abc", "b"}, {0, 1, 2}) == texts{"a"});
  CHECK(pieces({"aab"}, {0, 0, 0, 1}) == texts{"a"});
  CHECK(pieces({"\xc3\xa9"}, {0, 3, 4}) == texts{"a"});
}

TEST_CASE("generate's command line", "[generate]") {
  const temporary_folder folder;
  const std::string file = folder.write("prompts.txt", "one\r\n\ntwo words\n").string();
  const arguments a = parsed({"zero", "--weights", "w.gguf", "--prompts", file, "--stop", "x", "--stop",
                              "y y", "--top-k", "3", "--seed", "7"});
  CHECK(a.prompts == texts{"zero", "one", "two words"});
  CHECK(a.tokenizer == "w.gguf");
  CHECK(a.stops == texts{"x", "y y"});
  CHECK(a.how.top_k == 3);
  CHECK(a.how.seed == 7);
  CHECK(parsed({"--weights", "w.bin", "--tokenizer", "t.bin"}).prompts == texts{""});

  CHECK_THAT(refusal({"x"}), Contains("--weights is required"));
  CHECK(completed({}, "kept").weights == "kept/weights.safetensors");
  CHECK(completed({}, "kept").tokenizer == "kept/tokenizer.json");
  CHECK(completed({.weights = "w.gguf"}, "kept").tokenizer == "w.gguf");
  CHECK_THAT(refusal({"x", "--weights", "w.bin"}),
             Contains("--tokenizer is required where the weights are no .gguf"));
  CHECK_THAT(refusal({"--weights", "w.gguf", "--stop", ""}), Contains("--stop: expected a string"));
  CHECK_THAT(refusal({"--weights", "w.gguf", "--temperature", "-1"}), Contains("--temperature"));
  CHECK_THAT(refusal({"--weights", "w.gguf", "--prompts", "/none"}),
             Contains("/none: cannot open: No such file or directory"));
  const std::string empty = folder.write("empty.txt", "\n").string();
  CHECK_THAT(refusal({"--weights", "w.gguf", "--prompts", empty}), Contains("expected prompts, one a line"));
}

TEST_CASE("prompts are gone on with in turn, within the context", "[generate]") {
  // a -> b -> c -> a; after the beginning, a; after the two bytes, the end.
  xt::xtensor<float, 3> scores = xt::zeros<float>({1, 7, 7});
  const std::array<std::size_t, 7> next{1, 2, 0, 4, 6, 0, 6};
  for (std::size_t i = 0; i < next.size(); ++i) scores(0, i, next[i]) = 9;
  fovea::token_table model(scores);
  const auto written = [&](const texts& prompts, std::size_t tokens, const texts& stops = {}) {
    arguments a;
    a.prompts = prompts;
    a.tokens = tokens;
    a.stops = stops;
    a.how.temperature = 0;
    std::string printed;
    write_texts(model, letters(), a, tiny, [&](std::string_view piece) { printed += piece; });
    return printed;
  };
  CHECK(written({"a"}, 3) == "abca\n");
  CHECK(written({"a", "bc"}, 2) == "abc\n\nbcab\n");
  CHECK(written({""}, 2) == "ab\n"); // begins with <s>, which is not shown
  CHECK(written({"a"}, 100) == "abcabcab\n");
  CHECK(written({"cc"}, 100, {"bca"}) == "cca\n");
  CHECK(written({"\xc3\xa9"}, 100) == "\xc3\xa9\n"); // the end token is not shown
  CHECK_THROWS_WITH(written({"abcabcab"}, 1),
                    "a prompt has 8 tokens; expected fewer than 8, the context of tiny");

  configuration smaller = tiny;
  smaller.vocabulary = 6;
  arguments a;
  a.prompts = {"a"};
  a.tokenizer = "letters.json";
  CHECK_THROWS_WITH(write_texts(model, letters(), a, smaller, [](std::string_view) {}),
                    "letters.json: expected a tokenizer of at most 6 tokens, as tiny has; found 7");
}
