// The program generate, compiled for stories260K, on its trained weights and tokenizer in
// ../shared/data/stories260K.

#include "../../gguf_writer.hpp"
#include "../../weights/temporary_folder.hpp"
#include "../llama_names.hpp"

#include <generate/configurations/stories260K.hpp>
#include <generate/generate.hpp>

#include <fovea/base/mapped_file.hpp>
#include <fovea/fovea.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>
#include <fovea/weights/byte_cursor.hpp>
#include <fovea/weights/expect_metadata.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace fovea;
using namespace fovea::core;
using namespace generate_program;

namespace {

std::string folder() { return std::string(std::getenv("FOVEA_SHARED")) + "/data/stories260K/"; }

/// What the program prints.
std::string printed(const arguments& a) {
  const configuration c = configured();
  const model_weights trained = load_weights(a.weights);
  expect_metadata(trained, c.metadata);
  auto live = stream<"T">(declared, trained, {.capacity = {{"B", 1}, {"T", c.context}}});
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

std::string published() {
  std::ifstream file(folder() + "greedy_text_200.txt", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Weights and vocabulary in one file, as llama.cpp keeps them.
std::string whole_gguf(std::uint32_t heads) {
  test::gguf_writer file;
  file.add("general.architecture", "llama");
  file.add("llama.attention.head_count", heads);
  file.add("llama.rope.freq_base", 10000.0f);

  const mapped_file vocabulary(folder() + "tok512.bin");
  byte_cursor scores("tok512.bin", vocabulary.bytes());
  scores.read<std::int32_t>("the longest token");
  const tokenizer words = load_tokenizer(folder() + "tok512.bin");
  std::string tokens, numbers, kinds;
  for (token_id id = 0; id < 512; ++id) {
    tokens += test::gguf_writer::text(std::string(words.token(id)));
    numbers += test::bytes_of(scores.read<float>("a score"));
    scores.take(static_cast<std::size_t>(scores.read<std::int32_t>("a length")), "a token");
    constexpr std::int32_t normal = 1, unknown = 2, control = 3, byte = 6;
    kinds += test::bytes_of(id == 0 ? unknown : id <= 2 ? control : id <= 258 ? byte : normal);
  }
  file.add("tokenizer.ggml.model", "llama");
  file.add_array("tokenizer.ggml.tokens", gguf_type::text, 512, tokens);
  file.add_array("tokenizer.ggml.scores", gguf_type::float32, 512, numbers);
  file.add_array("tokenizer.ggml.token_type", gguf_type::int32, 512, kinds);
  for (const char* key : {"unknown", "bos", "eos"})
    file.add("tokenizer.ggml." + std::string(key) + "_token_id", std::uint32_t{key[0] == 'b'   ? 1u
                                                                               : key[0] == 'e' ? 2u
                                                                                               : 0u});

  const model_weights trained = load_weights(folder() + "stories260K.bin");
  for (const auto& [name, tensor] : trained.tensors())
    file.add_tensor(test::gguf_name(name), 0, {tensor.shape.begin(), tensor.shape.end()},
                    {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()});
  return file.file();
}

} // namespace

TEST_CASE("generate writes the published text from nothing", "[generate]") {
  const std::string expected = published();
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

TEST_CASE("generate takes weights and vocabulary from one GGUF file", "[generate]") {
  const temporary_folder place;
  const std::string file = place.write("stories260K.gguf", whole_gguf(8)).string();
  arguments given{.weights = file};
  given.how.temperature = 0;
  const arguments a = completed(given);
  CHECK(printed(a) == published() + "\n");
  arguments prompted = a;
  prompted.prompts = {"Once upon a time"};
  CHECK(printed(prompted) == printed(greedily({"Once upon a time"})));
  place.write("stories260K.gguf", whole_gguf(4));
  CHECK_THROWS_WITH(
      printed(a),
      Catch::Matchers::Contains("key 'llama.attention.head_count': expected 8, as the model has; found 4"));
}
