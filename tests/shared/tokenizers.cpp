#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include "../file_content.hpp"
#include "../runtime/tokenizers/packed_copy.hpp"

#include <fovea/runtime/tokenizers/save_tokenizer.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

using namespace fovea;
using namespace fovea::core;
using nlohmann::json;

namespace {

std::string shared_folder() {
  const char* path = std::getenv("FOVEA_SHARED");
  if (!path) throw std::runtime_error("expected FOVEA_SHARED to name the folder of the shared data");
  return path;
}

tokenizer from_gguf(const std::string& name) {
  return load_tokenizer(shared_folder() + "/data/tokenizers/" + name + ".gguf");
}

struct sample {
  std::string text;
  std::vector<token_id> ids;
};

std::vector<sample> samples(const std::string& name) {
  const std::string texts = content(shared_folder() + "/data/tokenizers/" + name + ".inp");
  std::istringstream ids(content(shared_folder() + "/data/tokenizers/" + name + ".out"));
  const std::string separator = "\n__ggml_vocab_test__\n";
  std::vector<sample> result;
  for (std::size_t at = 0, end; (end = texts.find(separator, at)) != std::string::npos;
       at = end + separator.size()) {
    sample s{texts.substr(at, end - at), {}};
    std::string line;
    if (!std::getline(ids, line)) throw std::runtime_error(name + ".out: expected a line for each text");
    std::istringstream numbers(line);
    for (token_id id; numbers >> id;) s.ids.push_back(id);
    result.push_back(std::move(s));
  }
  return result;
}

void check(const tokenizer& tokens, const std::string& name) {
  const auto all = samples(name);
  REQUIRE(all.size() == 23);
  for (const sample& s : all) {
    INFO(s.text);
    CHECK(tokens.encode(s.text, {.special = false}).ids == s.ids);
  }
}

} // namespace

TEST_CASE("GPT-2's vocabulary gives llama.cpp's ids", "[shared]") {
  const tokenizer tokens = from_gguf("gpt-2");
  CHECK(tokens.vocabulary_size() == 50257);
  check(tokens, "gpt-2");
}

TEST_CASE("packed tokenizers of real vocabularies do what those of their files do", "[shared]") {
  const std::string plays = content(shared_folder() + "/data/tinyshakespeare/input.txt").substr(0, 200'000);
  const temporary_folder folder;
  for (const char* name : {"gpt-2", "phi-3", "bert-bge"}) {
    CAPTURE(name);
    const std::string gguf = shared_folder() + "/data/tokenizers/" + name + ".gguf";
    const tokenizer tokens = load_tokenizer(gguf);
    save_tokenizer(folder / "tokenizer.json", tokens);
    std::vector<std::filesystem::path> files{gguf};
    if (std::string(name) != "phi-3") files.push_back(folder / "tokenizer.json"); // tells no equal scores
    for (const auto& file : files) {
      const std::optional<tokenizer> packed = test::packed_copy(file);
      REQUIRE(packed);
      CHECK(packed->vocabulary_size() == tokens.vocabulary_size());
      check(*packed, name);
      const token_encoding whole = tokens.encode(plays);
      CHECK(packed->encode(plays).ids == whole.ids);
      CHECK(packed->decode(whole.ids) == tokens.decode(whole.ids));
    }
  }
}

TEST_CASE("what GPT-2's tokenizer encodes it decodes", "[shared]") {
  const tokenizer tokens = from_gguf("gpt-2");
  for (const sample& s : samples("gpt-2")) CHECK(tokens.decode(tokens.encode(s.text).ids) == s.text);
  const std::string plays = content(shared_folder() + "/data/tinyshakespeare/input.txt");
  const token_encoding whole = tokens.encode(plays);
  CHECK(tokens.decode(whole.ids) == plays);
  // What the data's customary preparation counts: 301,966 training and 36,059 validation tokens of the same
  // text split at 90 %.
  const std::size_t cut = plays.size() * 9 / 10;
  CHECK(tokens.encode(plays.substr(0, cut)).ids.size() == 301966);
  CHECK(tokens.encode(plays.substr(cut)).ids.size() == 36059);
}

TEST_CASE("BERT's vocabulary gives llama.cpp's ids", "[shared]") {
  const tokenizer tokens = from_gguf("bert-bge");
  CHECK(tokens.vocabulary_size() == 30522);
  check(tokens, "bert-bge");
}

TEST_CASE("BERT's vocabulary gives MiniLM's ids", "[shared]") {
  const tokenizer tokens = from_gguf("bert-bge");
  const json reference = json::parse(content(shared_folder() + "/data/minilm/reference.json"));
  const auto& sentences = reference["sentences"];
  REQUIRE(sentences.size() == 8);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto text = sentences[i].get<std::string>();
    auto expected = reference["token_ids"][i].get<std::vector<token_id>>();
    REQUIRE(expected.front() == tokens.id("[CLS]"));
    REQUIRE(expected.back() == tokens.id("[SEP]"));
    INFO(text);
    CHECK(tokens.encode(text).ids == expected);
  }
}

TEST_CASE("SentencePiece's own test model gives its library's ids", "[shared]") {
  const std::string folder = shared_folder() + "/data/sentencepiece/";
  const tokenizer tokens = load_tokenizer(folder + "unigram-1000.model");
  CHECK(tokens.vocabulary_size() == 1000);
  std::istringstream lines(content(folder + "cases.tsv"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::size_t tab = line.find('\t');
    const std::string text = line.substr(0, tab);
    std::istringstream numbers(line.substr(tab + 1));
    std::vector<token_id> ids;
    for (token_id id; numbers >> id;) ids.push_back(id);
    INFO(text);
    CHECK(tokens.encode(text).ids == ids);
  }
  CHECK(count == 200);
}

TEST_CASE("Phi-3's vocabulary gives llama.cpp's ids", "[shared]") {
  const tokenizer tokens = from_gguf("phi-3");
  CHECK(tokens.vocabulary_size() == 32064);
  check(tokens, "phi-3");
  for (const sample& s : samples("phi-3")) {
    const token_encoding found = tokens.encode(s.text);
    CHECK(found.ids.front() == tokens.id("<s>"));
    CHECK(tokens.decode(found.ids) == s.text);
  }
  const std::vector<token_id> ids = tokens.encode("<|user|>\nHi<|end|>", {.special = false}).ids;
  CHECK(ids.front() == tokens.id("<|user|>"));
  CHECK(ids.back() == tokens.id("<|end|>"));
}

TEST_CASE("llama2.c's tokenizer gives its own ids and texts", "[shared]") {
  const std::string folder = shared_folder() + "/data/stories260K/";
  const tokenizer tokens = load_tokenizer(folder + "tok512.bin");
  CHECK(tokens.vocabulary_size() == 512);
  const json reference = json::parse(content(folder + "reference.json"));
  const auto prompt = reference["prompt"].get<std::string>();
  CHECK(tokens.encode(prompt).ids == reference["token_ids"].get<std::vector<token_id>>());
  const auto ids = reference["greedy_token_ids_from_bos"].get<std::vector<token_id>>();
  CHECK(tokens.decode(ids) == content(folder + "greedy_text_200.txt"));
}
