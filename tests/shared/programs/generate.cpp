// The program generate, compiled for stories260K, on its trained weights and tokenizer in
// ../shared/data/stories260K.

#ifdef FOVEA_GENERATE_STORIES
#include "../../examples/program_run.hpp"
#include "../../gguf_writer.hpp"
#include "../../weights/temporary_folder.hpp"
#include "../llama_names.hpp"

#include <fovea/base/mapped_file.hpp>
#include <fovea/fovea.hpp>
#include <fovea/tokenizers.hpp>
#include <fovea/weights/byte_cursor.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace fovea;
using namespace fovea::core;

namespace {

std::string folder() { return std::string(std::getenv("FOVEA_SHARED")) + "/data/stories260K/"; }

/// What the program prints for a text, behind which it says how fast it was.
std::string printed(std::vector<std::string> words) {
  words.insert(words.begin(), FOVEA_GENERATE_STORIES);
  const temporary_folder place;
  const program_run run = run_program(place, words);
  REQUIRE(run.status == 0);
  return run.said.substr(0, run.said.rfind("generate_stories260K: "));
}
std::string written(const std::string& prompt, std::vector<std::string> more = {"--temperature", "0"}) {
  more.insert(more.begin(),
              {prompt, "--weights", folder() + "stories260K.bin", "--tokenizer", folder() + "tok512.bin"});
  return printed(more);
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
  CHECK(written("") == expected + "\n");
  // It is also what follows its own beginning, and it ends in front of a stop string.
  CHECK(expected.starts_with("Once upon a time, "));
  CHECK(written("Once upon a time").starts_with(expected.substr(0, 400)));
  CHECK(written("", {"--temperature", "0", "--stop", "Lily. ", "--stop", "She"}) ==
        expected.substr(0, std::min(expected.find("Lily. "), expected.find("She"))) + "\n");
}

TEST_CASE("the same seed writes the same text", "[generate]") {
  const auto text = [](const char* seed) {
    return written("The little dog", {"The little dog", "--top-p", "0.9", "--tokens", "40", "--seed", seed});
  };
  const std::string two = text("3");
  const std::size_t half = two.find("\n\n");
  REQUIRE(half != std::string::npos);
  CHECK(two.substr(0, half) + "\n" == two.substr(half + 2));
  CHECK(text("4") != two);
}

TEST_CASE("generate takes weights and vocabulary from one GGUF file", "[generate]") {
  const temporary_folder place;
  const std::string file = place.write("stories260K.gguf", whole_gguf(8)).string();
  CHECK(printed({"", "--weights", file, "--temperature", "0"}) == published() + "\n");
  CHECK(printed({"Once upon a time", "--weights", file, "--temperature", "0"}) ==
        written("Once upon a time"));
  place.write("stories260K.gguf", whole_gguf(4));
  const program_run refused = run_program(place, {FOVEA_GENERATE_STORIES, "", "--weights", file});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.said, Catch::Matchers::Contains(
                               "key 'llama.attention.head_count': expected 8, as the model has; found 4"));
}

#ifdef FOVEA_MPIRUN
TEST_CASE("two processes, each with a stage of the model, write the published text", "[generate][shard]") {
  for (const char* name :
       {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
    ::setenv(name, "1", 1);
  const temporary_folder place;
  program_run run = run_program(place, {FOVEA_MPIRUN, "-n", "2", FOVEA_GENERATE_IN_STAGES, "", "--weights",
                                        folder() + "stories260K.bin", "--tokenizer", folder() + "tok512.bin",
                                        "--temperature", "0"});
  REQUIRE(run.status == 0);
  const std::size_t at = run.said.find("generate_in_stages: "); // how fast it was, which one rank says
  REQUIRE(at != std::string::npos);
  run.said.erase(at, run.said.find('\n', at) + 1 - at);
  CHECK(run.said == published() + "\n");
}
#endif
#endif
