// Each allocation of what reads and writes files finds no memory: an error that names the file, or
// std::bad_alloc, nothing leaked, and a file that was to be written as it was.

#include "../file_content.hpp"
#include "../gguf_writer.hpp"
#include "../weights/temporary_folder.hpp"
#include "each_allocation.hpp"

#include <fovea/base/json/parse_json.hpp>
#include <fovea/runtime/ngram/counts.hpp>
#include <fovea/runtime/tokenizers/save_tokenizer.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/weights.hpp>
#include <fovea/weights/word_vectors.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <string>

#include <unistd.h>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
namespace fs = std::filesystem;

namespace {

const std::vector<float> numbers(24, 0.5f);

std::map<std::string, stored_tensor> tensors() {
  return {{"layer.0.attention.query.weight", {element_type::f32, {4, 6}, std::as_bytes(std::span(numbers))}},
          {"layer.0.attention.query.bias", {element_type::f32, {24}, std::as_bytes(std::span(numbers))}}};
}

constexpr const char* keras = R"({"in_shape": [null, null, 1], "layers": [
  {"type": "lstm", "activation": "", "shape": [null, null, 1], "weights": [[[1, 2, 3, 4]], [[1, 2, 3, 4]], [1, 2, 3, 4]]},
  {"type": "gru", "activation": "", "shape": [null, null, 1], "weights": [[[1, 2, 3]], [[1, 2, 3]], [[1, 2, 3], [1, 2, 3]]]},
  {"type": "dense", "activation": "tanh", "shape": [null, null, 2], "weights": [[[1, 2]], [1, 2]]}]})";

constexpr const char* bert_words = R"({"added_tokens": [{"id": 0, "content": "[UNK]", "special": true},
  {"id": 1, "content": "[CLS]", "special": true}], "normalizer": {"type": "Sequence", "normalizers":
  [{"type": "NFD"}, {"type": "Replace", "pattern": {"String": "a long text to be replaced"}, "content": "by another one"}]},
  "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": {"type": "TemplateProcessing", "single":
  [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}], "pair": [],
  "special_tokens": {"[CLS]": {"ids": [1]}}}, "decoder": {"type": "WordPiece"},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "[CLS]": 1, "a token that is long": 2}}})";

constexpr const char* pairs =
    R"({"model": {"type": "BPE", "unk_token": "u", "vocab": {"u": 0, "a": 1, "b": 2, "ab": 3},
  "merges": [["a", "b"]]}, "decoder": {"type": "Fuse"}})";

constexpr const char* pieces =
    R"({"pre_tokenizer": {"type": "Metaspace"}, "decoder": {"type": "Sequence", "decoders":
  [{"type": "Replace", "pattern": {"String": "_"}, "content": " "}, {"type": "Fuse"},
  {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}, "model": {"type": "Unigram", "unk_id": 0,
  "vocab": [["u", 0], ["a", -1.5], ["ab", -2]]}})";

} // namespace

TEST_CASE("memory runs out while a file is read") {
  const temporary_folder folder;
  save_safetensors(folder / "model.safetensors", tensors(),
                   {{"format", "a text that needs memory of its own"}});
  folder.write("model.safetensors.index.json",
               R"({"weight_map":{"layer.0.attention.query.weight":"model.safetensors",
                                 "layer.0.attention.query.bias":"model.safetensors"}})");
  gguf_metadata keys;
  keys.set("general.name", "a name that needs memory of its own");
  save_gguf(folder / "x.gguf", tensors(), keys);
  folder.write("keras.json", keras);
  folder.write("torch.json", R"({"a name that needs memory of its own": [[1, 2], [3, 4]]})");
  folder.write("words.txt", "a-word-that-needs-memory-of-its-own 1 2\nb 3 4\n");
  folder.write("bert.json", bert_words);
  folder.write("pairs.json", pairs);
  folder.write("pieces.json", pieces);
  ngram_counter counter({.order = 3, .vocabulary = 5, .start = 0, .end = 1});
  counter.add(std::vector<token_id>{2, 3, 4, 2, 3});
  counter.counts().save(folder / "counts");

  const auto read = [&](const char* name, const std::function<void(const fs::path&)>& f) {
    const fs::path path = folder / name;
    each_allocation_fails(
        name, [&] { f(path); },
        [&](const std::string& said, bool all_after) {
          if (all_after && said.empty()) return; // not enough for a sentence either
          CHECK(said.starts_with(folder.path().string()));
          CHECK(said.find("there is not enough memory to read it") != std::string::npos);
        });
  };
  for (const bool copy : {false, true}) {
    const auto load = [copy](const fs::path& path) { load_weights(path, {.copy = copy}); };
    for (const char* name :
         {"", "model.safetensors.index.json", "x.gguf", "keras.json", "torch.json", "words.txt"})
      read(name, load);
  }
  for (const char* name : {"bert.json", "pairs.json", "pieces.json"})
    read(name, [](const fs::path& path) { load_tokenizer(path); });
  read("words.txt", [](const fs::path& path) { load_word_vectors(path); });
  read("counts", [](const fs::path& path) { load_ngram_counts(path); });
  read("keras.json", [](const fs::path& path) { load_json(path); });
}

TEST_CASE("memory runs out while a file is written: it is what it was") {
  const temporary_folder folder;
  gguf_metadata keys;
  keys.set("general.name", "a name that needs memory of its own");
  const std::vector<std::pair<const char*, std::function<void(const fs::path&)>>> savers{
      {"safetensors",
       [](const fs::path& path) {
         save_safetensors(path, tensors(), {{"a", "b"}});
       }},
      {"gguf", [&](const fs::path& path) { save_gguf(path, tensors(), keys); }}};
  for (const auto& [name, save] : savers) {
    const fs::path path = folder.write("x", "");
    each_allocation_fails(
        name,
        [&, &f = save] {
          ::truncate(path.c_str(), 0); // the older file, made without memory
          f(path);
        },
        [&](const std::string& said, bool) {
          CHECK(said.empty());
          CHECK(content(path).empty());
          CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
        });
    CHECK(!content(path).empty());
  }
}
