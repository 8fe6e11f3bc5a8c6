#include <fovea/runtime/tokenizers/packed_tokenizer.hpp>

#include "../../golden_folder.hpp"
#include "../../message_of.hpp"
#include "golden_lines.hpp"
#include "packed_copy.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/state.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Matchers::Contains;

namespace {

const std::string folder = std::string(golden_folder) + "/";

/// Whether two do the same of texts, and of all ids.
void check_alike(const tokenizer& one, const tokenizer& other, const std::vector<std::string>& texts) {
  REQUIRE(one.vocabulary_size() == other.vocabulary_size());
  for (token_id id = 0; id < static_cast<token_id>(one.vocabulary_size()); ++id) {
    CHECK(one.token(id) == other.token(id));
    CHECK(one.id(one.token(id)) == other.id(one.token(id)));
    CHECK(one.decode(std::array{id}, false) == other.decode(std::array{id}, false));
    CHECK(one.decode(std::array{id}) == other.decode(std::array{id}));
  }
  CHECK(one.stages().special == other.stages().special);
  CHECK_FALSE(other.id("no token"));
  for (const std::string& text : texts) {
    INFO(text);
    const token_encoding whole = one.encode(text), pair = one.encode_pair(text, texts.front());
    CHECK(other.encode(text).ids == whole.ids);
    CHECK(other.encode_pair(text, texts.front()).ids == pair.ids);
    CHECK(other.encode_pair(text, texts.front()).type_ids == pair.type_ids);
    CHECK(other.decode(whole.ids) == one.decode(whole.ids));
  }
}

/// A vocabulary of words that grow by letters, with merges, as a tokenizer.json.
std::string pairs_json() {
  return R"({"added_tokens": [{"id": 5, "content": "<end>", "special": true}],
             "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
             "decoder": {"type": "ByteLevel"}, "post_processor": null,
             "model": {"type": "BPE", "merges": ["a b", "ab c"],
                       "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "<end>": 5}}})";
}

std::string words_json(const std::string& longest_word) {
  return R"({"pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": {"type": "WordPiece", "prefix": "##"},
             "model": {"type": "WordPiece", "max_input_chars_per_word": )" +
         longest_word + R"(, "vocab": {"[UNK]": 0, "a": 1, "##b": 2}}})";
}

std::string scores_json() {
  return R"({"pre_tokenizer": null, "decoder": null,
             "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0], ["ab", -2.5]]}})";
}

/// What is said of a packed tokenizer in which `change` has put other bytes in place of a table.
template <typename T, typename F>
std::string refusal(const std::string& json, const char* table, F change) {
  const temporary_folder place;
  packed_tokenizer made = pack_tokenizer(place.write("tokenizer.json", json)).value();
  const std::span<const std::byte> bytes = made.tables.at(table).bytes;
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  change(elements);
  const std::span<const std::byte> changed = std::as_bytes(std::span(elements));
  if (changed.empty())
    made.tables.erase(table);
  else
    made.tables[table] = {element_type::i8, {changed.size()}, changed};
  const std::string file = file_with(made.stages, made.tables);
  return message_of<error>([&] { load_tokenizer(std::as_bytes(std::span(file)), "x.gguf"); });
}

const auto leave_out = [](auto& elements) { elements.clear(); };
const auto cut = [](auto& elements) { elements.pop_back(); };

} // namespace

TEST_CASE("a packed tokenizer does what its tokenizer.json does", "[packed_tokenizer]") {
  std::vector<std::string> texts{"", "  two  spaces ", "[CLS] a[SEP]", "<|endoftext|>x</s> <unk>",
                                 "\u65e5\u672c\u8a9e"};
  for (const auto& line : json_lines(folder + "tokenizer_bpe.jsonl"))
    texts.push_back(line["text"].get<std::string>());
  for (const char* name :
       {"tokenizer_wordpiece.tokenizer.json", "tokenizer_bpe.tokenizer.json", "tokenizer_clip.tokenizer.json",
        "tokenizer_unigram.tokenizer.json", "tokenizer_words.json", "tokenizer_precompiled.json"}) {
    CAPTURE(name);
    const auto json = nlohmann::json::parse(content(folder + name));
    const temporary_folder place;
    for (const auto& one : json.is_array() ? json : nlohmann::json::array({json})) {
      const bool is_case = !one.contains("model");
      if (is_case && !one.contains("tokenizer")) continue;
      const auto file = place.write("tokenizer.json", (is_case ? one.at("tokenizer") : one).dump());
      const std::optional<tokenizer> packed = packed_copy(file);
      REQUIRE(packed);
      check_alike(load_tokenizer(file), *packed, texts);
    }
  }
}

TEST_CASE("tokenizers without a form as tokenizer.json are not packed", "[packed_tokenizer]") {
  for (const char* name : {"tokenizer_sentencepiece_unigram.model", "tokenizer_sentencepiece_bpe.model"})
    CHECK_FALSE(pack_tokenizer(folder + name));
}

TEST_CASE("what is packed and read again can be packed again", "[packed_tokenizer]") {
  const std::string name = folder + "tokenizer_bpe.tokenizer.json";
  const packed_tokenizer first = pack_tokenizer(name).value();
  const temporary_folder place;
  const auto file = place.write("x.gguf", file_with(first.stages, first.tables));
  const packed_tokenizer again = pack_tokenizer(file).value();
  CHECK(again.stages == first.stages);
  CHECK(file_with(again.stages, again.tables) == content(file.string()));
}

TEST_CASE("a packed tokenizer keeps the file that its tables lie in", "[packed_tokenizer]") {
  const temporary_folder place;
  const packed_tokenizer made = pack_tokenizer(folder + "tokenizer_bpe.tokenizer.json").value();
  const std::string bytes = file_with(made.stages, made.tables);
  const tokenizer mapped = load_tokenizer(place.write("x.gguf", bytes));
  const std::span<const char> text = mapped.stages().tokens.looked_up().text;
  CHECK(text.size() == made.tables.at("tokenizer.vocabulary.text").bytes.size());
  CHECK(mapped.encode("one two").ids == made.words.encode("one two").ids);

  // In memory its tables are used where they lie, if they are aligned there.
  const auto tables_of = [](std::span<const std::byte> file) {
    const tokenizer read = load_tokenizer(file, "x.gguf", {.copy = false});
    const auto first = reinterpret_cast<const std::byte*>(read.stages().tokens.looked_up().text.data());
    return first >= file.data() && first < file.data() + file.size();
  };
  std::vector<std::max_align_t> aligned(bytes.size() / sizeof(std::max_align_t) + 2);
  std::byte* const memory = reinterpret_cast<std::byte*>(aligned.data());
  std::memcpy(memory, bytes.data(), bytes.size());
  CHECK(tables_of({memory, bytes.size()}));
  std::memmove(memory + 1, memory, bytes.size());
  CHECK_FALSE(tables_of({memory + 1, bytes.size()}));
}

TEST_CASE("packed tables that reach beyond themselves are refused", "[packed_tokenizer]") {
  const std::string front = "x.gguf: the packed tokenizer: ";
  using spelling = token_vocabulary::spelling;
  using slot = token_vocabulary::slot;
  using merge = byte_pair::merge;
  const std::string json = pairs_json();

  CHECK(refusal<spelling>(json, "tokenizer.vocabulary.spellings", [](auto& all) { all[3].length = 1000; }) ==
        front + "token 3: expected whole characters of 13 bytes; found bytes 3 to 1003");
  CHECK(refusal<spelling>(json, "tokenizer.vocabulary.spellings", [](auto& all) {
          all[3] = {~0u, ~0u};
        }) == front + "token 3: expected whole characters of 13 bytes; found bytes 4294967295 to 8589934590");
  CHECK_THAT(refusal<char>(json, "tokenizer.vocabulary.text", [](auto& all) { all[0] = '\xff'; }),
             Contains(front + "text: expected UTF-8"));
  CHECK_THAT(refusal<char>(json, "tokenizer.vocabulary.text",
                           [](auto& all) {
                             all[2] = '\xc3';
                             all[3] = '\xa9';
                           }),
             Contains("expected whole characters"));
  CHECK(refusal<slot>(json, "tokenizer.vocabulary.slots", [](auto& all) { all[7].id = 6; }) ==
        front + "the vocabulary: expected ids below 6 in its slots; found 6");
  CHECK(refusal<slot>(json, "tokenizer.vocabulary.slots", [](auto& all) { all[7].id = -2; }) ==
        front + "the vocabulary: expected ids below 6 in its slots; found -2");
  CHECK(refusal<slot>(json, "tokenizer.vocabulary.slots", cut) ==
        front + "the vocabulary: expected a power of two of slots, at most half of them used; found 6 used "
                "of 1023");
  CHECK_THAT(refusal<slot>(json, "tokenizer.vocabulary.slots",
                           [](auto& all) {
                             for (slot& one : all) one.id = 0;
                           }),
             Contains("at most half of them used; found 1024 used of 1024"));
  CHECK_THAT(refusal<slot>(json, "tokenizer.vocabulary.slots", leave_out), Contains("found 0 used of 0"));
  CHECK(refusal<char>(json, "tokenizer.vocabulary.slots", cut) ==
        front +
            "tensor 'tokenizer.vocabulary.slots': expected whole elements of 8 bytes, aligned to 4; found "
            "8191 bytes");

  const auto used = [](auto& all) -> merge& {
    return *std::ranges::find_if(all, [](const merge& one) { return one.pair != pair_set::free_slot; });
  };
  CHECK_THAT(refusal<merge>(json, "tokenizer.merges", [&](auto& all) { used(all).result = 6; }),
             Contains(front + "the merges: expected ids below 6; found ") && Contains(", which make 6"));
  CHECK_THAT(refusal<merge>(json, "tokenizer.merges", [&](auto& all) { used(all).pair = 6; }),
             Contains("the merges: expected ids below 6; found 0 and 6, which make "));
  CHECK_THAT(
      refusal<merge>(json, "tokenizer.merges", [&](auto& all) { used(all).pair = std::uint64_t{6} << 32; }),
      Contains("the merges: expected ids below 6; found 6 and 0, which make "));
  CHECK(refusal<merge>(json, "tokenizer.merges", cut) ==
        front + "the merges: expected a power of two of slots, one of them free; found 7");
  CHECK_THAT(refusal<merge>(json, "tokenizer.merges",
                            [](auto& all) {
                              for (merge& one : all) one = {0, 0, 0};
                            }),
             Contains("one of them free; found 8"));
  CHECK_THAT(refusal<merge>(json, "tokenizer.merges", leave_out), Contains("one of them free; found 0"));
  CHECK(refusal<std::uint64_t>(json, "tokenizer.meetings", cut) ==
        front + "the meetings of units: expected a power of two of slots, one of them free; found 1023");
  CHECK_THAT(refusal<std::uint64_t>(json, "tokenizer.meetings",
                                    [](auto& all) {
                                      for (std::uint64_t& one : all) one = 1;
                                    }),
             Contains("one of them free; found 1024"));
}

TEST_CASE("packed tries from which a walk would not end are refused", "[packed_tokenizer]") {
  using place = token_trie::place;
  const std::string json = words_json("100"), front = "x.gguf: the packed tokenizer: the trie: ";
  CHECK(refusal<place>(json, "tokenizer.trie.children", [](auto& all) { all[1] = 1; }) ==
        front + "expected the children of node 1 behind it and in order; found 1 to 5");
  CHECK_THAT(refusal<place>(json, "tokenizer.trie.children", [](auto& all) { all.back() = 1000; }),
             Contains(front + "expected the children to end at its "));
  CHECK_THAT(refusal<place>(json, "tokenizer.trie.children", [](auto& all) { all[2] = 1; }),
             Contains("behind it and in order; found "));
  CHECK_THAT(
      refusal<place>(json, "tokenizer.trie.children", cut),
      Contains(front +
               "expected a token and a first child for each of its nodes, and one child more; found "));
  CHECK_THAT(refusal<token_id>(json, "tokenizer.trie.tokens", [](auto& all) { all.back() = 3; }),
             Contains(front + "expected ids below 3; found 3"));
  CHECK_THAT(refusal<token_id>(json, "tokenizer.trie.tokens", [](auto& all) { all.back() = -2; }),
             Contains("found -2"));
  CHECK_THAT(refusal<unsigned char>(json, "tokenizer.trie.bytes", leave_out), Contains("found 0 nodes"));

  // What a byte of a text costs is bounded by the longest token, or by the longest word.
  const auto deep = [](const std::string& of) {
    constexpr std::size_t nodes = 1026;
    const temporary_folder folder_of_json;
    packed_tokenizer made = pack_tokenizer(folder_of_json.write("tokenizer.json", of)).value();
    const std::vector<unsigned char> bytes(nodes, 'a');
    std::vector<token_id> ids(nodes, 0);
    std::vector<place> children;
    for (place at = 0; at <= nodes; ++at) children.push_back(std::min<place>(at + 1, nodes));
    const auto put = [&](const char* name, const auto& all) {
      made.tables[name] = {element_type::i8, {all.size() * sizeof all[0]}, std::as_bytes(std::span(all))};
    };
    put("tokenizer.trie.bytes", bytes), put("tokenizer.trie.tokens", ids),
        put("tokenizer.trie.children", children);
    const std::string file = file_with(made.stages, made.tables);
    return message_of<error>([&] { load_tokenizer(std::as_bytes(std::span(file)), "x.gguf"); });
  };
  CHECK(deep(json).empty());
  CHECK(deep(words_json("2000")) == front + "expected tokens of at most 1024 bytes; found 1025");
  CHECK(deep(scores_json()) == front + "expected tokens of at most 1024 bytes; found 1025");
}

TEST_CASE("packed scores are numbers", "[packed_tokenizer]") {
  const auto set = [](double to) { return [to](auto& all) { all[1] = to; }; };
  CHECK_THAT(
      refusal<double>(scores_json(), "tokenizer.scores", set(std::numeric_limits<double>::quiet_NaN())),
      Contains("the packed tokenizer: token 'a': expected a score that is a number; found "));
  CHECK_THAT(refusal<double>(scores_json(), "tokenizer.scores", leave_out),
             Contains("the trie: expected ids below 0; found 1"));
}

TEST_CASE("a packed tokenizer is of the version that is read, and says its stages", "[packed_tokenizer]") {
  const temporary_folder place;
  const packed_tokenizer made = pack_tokenizer(place.write("tokenizer.json", pairs_json())).value();
  const auto said = [&](const std::string& stages, std::uint32_t version) {
    const std::string file = file_with(stages, made.tables, version);
    return message_of<error>([&] { load_tokenizer(std::as_bytes(std::span(file)), "x.gguf"); });
  };
  CHECK(said(made.stages, packed_keys::newest).empty());
  CHECK(
      said(made.stages, packed_keys::newest + 1) ==
      "x.gguf: the packed tokenizer: expected packed weights of version 2; found version 3: pack them again");
  CHECK_THAT(said("{", packed_keys::newest), Contains("x.gguf: the packed tokenizer: not valid JSON"));
  CHECK_THAT(said("[]", packed_keys::newest), Contains("the packed tokenizer: expected a JSON object"));
  CHECK_THAT(said("{}", packed_keys::newest), Contains("the packed tokenizer: "));
}
