#include <fovea/runtime/tokenizers/ggml_words.hpp>

#include "../../file_content.hpp"
#include "../../golden_folder.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;

namespace {

using list = std::vector<std::string>;

list words(const std::string& name, const std::string& text) {
  const ggml_words* how = find_ggml_words(name);
  REQUIRE(how);
  std::vector<std::string_view> found;
  how->split(text, found);
  return {found.begin(), found.end()};
}

} // namespace

// The words are those of llama.cpp as llama-cpp-python 0.3.36 has it, one list for each text and each set of
// rules.
TEST_CASE("a GGUF file's pre-tokeniser gives llama.cpp's words", "[ggml_words]") {
  const auto golden = nlohmann::json::parse(content(std::string(test::golden_folder) + "/ggml_words.json"));
  const auto texts = golden["texts"].get<list>();
  CHECK(golden["words"].size() == 25);
  for (const auto& [name, expected] : golden["words"].items()) {
    REQUIRE(expected.size() == texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      INFO(name << ": " << texts[i]);
      CHECK(words(name, texts[i]) == expected[i].get<list>());
    }
  }
}

TEST_CASE("names that mean the same, and names that mean nothing", "[ggml_words]") {
  const std::string text = "It's 12345 \u00e9tudes,  fooBAR\n\n";
  const std::vector<list> alike{
      {"gpt-2", "mpt", "olmo", "jais", "exaone4", "trillion"},
      {"llama-bpe", "llama3", "dbrx", "chatglm-bpe", "glm4"},
      {"qwen2", "stablelm2", "hunyuan", "grok-2"},
      {"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b"},
      {"bloom", "poro-chat", "gpt3-finnish"},
      {"gpt-4o", "llama4", "minimax-m2"},
      {"deepseek-v3", "hunyuan-dense"}};
  for (const list& names : alike)
    for (const std::string& name : names) CHECK(words(name, text) == words(names.front(), text));
  CHECK(words("gpt-2", "").empty());
  CHECK(!find_ggml_words("no-such-words"));
  CHECK(!find_ggml_words(""));
  CHECK_THAT(ggml_word_names(), Catch::StartsWith("a.x-4.0, bailingmoe") && Catch::Contains(", tekken, "));
}

TEST_CASE("runs of one kind cost by their length", "[ggml_words]") {
  constexpr std::size_t many = std::size_t{1} << 17; // its square, 175 times, would take hours
  const auto golden = nlohmann::json::parse(content(std::string(test::golden_folder) + "/ggml_words.json"));
  for (const auto& [name, unused] : golden["words"].items())
    for (const std::string unit : {" ", "\n", "A", "\u00e9", "1", "'", "\u4e00"}) {
      std::string text = "x";
      while (text.size() < many) text += unit;
      text += "!";
      std::size_t size = 0;
      std::vector<std::string_view> found;
      find_ggml_words(name)->split(text, found);
      for (const std::string_view word : found) size += word.size();
      if (size != text.size()) FAIL_CHECK(name << ", " << unit);
    }
}
