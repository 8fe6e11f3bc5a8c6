#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include "gguf_vocabulary.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace fovea;
using nlohmann::json;

namespace {

std::string shared_folder() {
  const char* path = std::getenv("FOVEA_SHARED");
  if (!path) throw std::runtime_error("expected FOVEA_SHARED to name the folder of the shared data");
  return path;
}

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

json vocabulary_of(const std::vector<std::string>& tokens) {
  json result = json::object();
  for (std::size_t id = 0; id < tokens.size(); ++id) result[tokens[id]] = id;
  return result;
}

/// GPT-2's tokenizer.json, made of its vocabulary and merges.
tokenizer gpt2() {
  const gguf_vocabulary vocabulary(shared_folder() + "/data/tokenizers/gpt-2.gguf");
  const json file{
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model",
       {{"type", "BPE"}, {"vocab", vocabulary_of(vocabulary.tokens)}, {"merges", vocabulary.merges}}}};
  return parse_tokenizer(file.dump(), "gpt-2");
}

/// BERT's tokenizer.json. The GGUF file keeps "##x" as "x" and a word-initial "x" as U+2581 "x".
tokenizer bert() {
  gguf_vocabulary vocabulary(shared_folder() + "/data/tokenizers/bert-bge.gguf");
  json special = json::array();
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    std::string& token = vocabulary.tokens[id];
    const std::string initial = "\u2581";
    if (token.starts_with(initial))
      token.erase(0, initial.size());
    else if (token.starts_with('[') && token.ends_with(']'))
      special.push_back({{"id", id}, {"content", token}, {"special", true}});
    else
      token.insert(0, "##");
  }
  const json file{{"added_tokens", special},
                  {"normalizer", {{"type", "BertNormalizer"}, {"lowercase", true}}},
                  {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                  {"decoder", {{"type", "WordPiece"}}},
                  {"model", {{"type", "WordPiece"}, {"vocab", vocabulary_of(vocabulary.tokens)}}}};
  return parse_tokenizer(file.dump(), "bert-bge");
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
    CHECK(tokens.encode(s.text).ids == s.ids);
  }
}

} // namespace

TEST_CASE("GPT-2's vocabulary gives llama.cpp's ids", "[shared]") {
  const tokenizer tokens = gpt2();
  CHECK(tokens.vocabulary_size() == 50257);
  check(tokens, "gpt-2");
}

TEST_CASE("what GPT-2's tokenizer encodes it decodes", "[shared]") {
  const tokenizer tokens = gpt2();
  for (const sample& s : samples("gpt-2")) CHECK(tokens.decode(tokens.encode(s.text).ids) == s.text);
  const std::string plays = content(shared_folder() + "/data/tinyshakespeare/input.txt");
  const encoding whole = tokens.encode(plays);
  CHECK(tokens.decode(whole.ids) == plays);
  // What the data's customary preparation counts: 301,966 training and 36,059 validation tokens of the same
  // text split at 90 %.
  const std::size_t cut = plays.size() * 9 / 10;
  CHECK(tokens.encode(plays.substr(0, cut)).ids.size() == 301966);
  CHECK(tokens.encode(plays.substr(cut)).ids.size() == 36059);
}

TEST_CASE("BERT's vocabulary gives llama.cpp's ids", "[shared]") {
  const tokenizer tokens = bert();
  CHECK(tokens.vocabulary_size() == 30522);
  check(tokens, "bert-bge");
}

TEST_CASE("BERT's vocabulary gives MiniLM's ids", "[shared]") {
  const tokenizer tokens = bert();
  const json reference = json::parse(content(shared_folder() + "/data/minilm/reference.json"));
  const auto& sentences = reference["sentences"];
  REQUIRE(sentences.size() == 8);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto text = sentences[i].get<std::string>();
    auto expected = reference["token_ids"][i].get<std::vector<token_id>>();
    REQUIRE(expected.front() == tokens.id("[CLS]"));
    REQUIRE(expected.back() == tokens.id("[SEP]"));
    INFO(text);
    CHECK(tokens.encode("[CLS]" + text + "[SEP]").ids == expected);
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
