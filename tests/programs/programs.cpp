// What fovea_add_executable makes, run as a user runs it: on weights drawn here, beside the same model called here.

#include "../examples/program_run.hpp"
#include "../message_of.hpp"
#include "tiny.hpp"

#include <fovea/decoding.hpp>
#include <fovea/fovea.hpp>
#include <fovea/tokenizers.hpp>
#include <fovea/weights/save_weights.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace fovea;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// Weights drawn for a model, in a file; texts in another.
struct place {
  temporary_folder folder;
  std::string weights = (folder / "weights.gguf").string();
  std::string texts =
      folder.write("texts.txt", "one two\nthree\none two three four five\ntwo one\n").string();

  template <class M>
  model_weights draw(const M& model) const {
    save_weights<f32>(folder / "weights.gguf", model, initial_weights(model, 3));
    return load_weights(weights);
  }
  program_run run(const char* program, std::vector<std::string> more) const {
    more.insert(more.begin(), {program, "--weights", weights});
    return run_program(folder, more);
  }
};

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

const tokenizer& words() {
  static const tokenizer read = load_tokenizer(FOVEA_TINY_WORDS);
  return read;
}

xt::xtensor<int, 2> ids_of(const char* text) {
  const std::vector<int> ids = words().encode(text).ids;
  return xt::adapt(ids, std::array<std::size_t, 2>{1, ids.size()});
}

constexpr const char* texts[] = {"one two", "three", "one two three four five", "two one"};

} // namespace

TEST_CASE("what marks a file as UTF-8 is no part of its first text", "[programs]") {
  const place p;
  p.draw(tiny::embed);
  const std::string marked = p.folder.write("marked.txt", "\xef\xbb\xbfone two\n").string(),
                    plain = p.folder.write("plain.txt", "one two\n").string();
  const program_run both = p.run(FOVEA_TINY_EMBED, {marked, plain});
  REQUIRE(both.status == 0);
  const std::size_t half = both.said.size() / 2;
  CHECK(both.said.substr(0, half) == both.said.substr(half));
}

TEST_CASE("a program embeds texts in their order, whatever their lengths", "[programs]") {
  const place p;
  auto net = compile(tiny::embed, p.draw(tiny::embed), {.capacity = {{"B", 1}, {"T", 8}}});
  const program_run run = p.run(FOVEA_TINY_EMBED, {p.texts, "--json"});
  REQUIRE(run.status == 0);
  const std::vector<json> lines = lines_of(run.said);
  REQUIRE(lines.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const xt::xtensor<int, 2> tokens = ids_of(texts[i]);
    const xt::xtensor<int, 1> lengths{static_cast<int>(tokens.size())};
    const auto out = net("tokens"_in = tokens, "lengths"_in = lengths);
    CHECK(lines[i]["text"] == texts[i]);
    const std::vector<float> vector = lines[i]["vector"];
    REQUIRE(vector.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) CHECK(vector[k] == Approx(out["sentence"_out](0, k)).epsilon(1e-5));
  }
}

TEST_CASE("lines of JSON keep what else they hold", "[programs]") {
  const place p;
  p.draw(tiny::embed);
  const std::string file = p.folder
                               .write("texts.json", R"({"id": 7, "body": "one"})"
                                                    "\n")
                               .string();
  const program_run run = p.run(FOVEA_TINY_EMBED, {file, "--field", "body", "--json"});
  REQUIRE(run.status == 0);
  const json line = lines_of(run.said).front();
  CHECK(line["id"] == 7);
  CHECK(line["body"] == "one");
  CHECK(line["vector"].size() == 4);
}

TEST_CASE("a program classifies texts by a model that is not told their lengths", "[programs]") {
  const place p;
  auto net = compile(tiny::classify, p.draw(tiny::classify), {.capacity = {{"B", 1}, {"T", 8}}});
  const program_run run = p.run(FOVEA_TINY_CLASSIFY, {p.texts, "--json"});
  REQUIRE(run.status == 0);
  const std::vector<json> lines = lines_of(run.said);
  REQUIRE(lines.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const xt::xtensor<int, 2> tokens = ids_of(texts[i]);
    const auto out = net("tokens"_in = tokens);
    const auto logits = out["logits"_out];
    const double good = 1 / (1 + std::exp(static_cast<double>(logits(0, 1) - logits(0, 0))));
    CHECK(lines[i]["probabilities"]["good"].get<double>() == Approx(good).epsilon(1e-5));
    CHECK(lines[i]["label"] == (good > 0.5 ? "good" : "bad; or so"));
  }
  CHECK_THAT(p.run(FOVEA_TINY_CLASSIFY, {p.texts}).said, Contains("  three\n"));
}

TEST_CASE("a program answers by the weights that it was built with as by their file, in each set",
          "[programs]") {
  const place p;
  for (const char* set : {"avx2", "baseline"}) {
    if (!core::may_run(set)) continue;
    CAPTURE(set);
    const program_variable isa("FOVEA_ISA", set);
    const program_run built = run_program(p.folder, {FOVEA_TINY_CLASSIFY, p.texts, "--json"}),
                      by_file = run_program(p.folder, {FOVEA_TINY_CLASSIFY, p.texts, "--json", "--weights",
                                                       FOVEA_TINY_WEIGHTS});
    CHECK(built.status == 0);
    CHECK(lines_of(built.said).size() == 4);
    CHECK(built.said == by_file.said);
  }
}

TEST_CASE("a program opens the packed weights that the build made for it", "[programs]") {
  const place p;
  const program_run run = run_program(p.folder, {FOVEA_TINY_PACKED, p.texts, "--json"});
  CHECK(run.status == 0);
  CHECK(run.said ==
        run_program(p.folder, {FOVEA_TINY_PACKED, p.texts, "--json", "--weights", FOVEA_TINY_WEIGHTS}).said);
  const std::filesystem::path program = FOVEA_TINY_PACKED;
  CHECK(load_weights(program.parent_path() / "tiny_packed_packed.gguf")
            .metadata()
            .contains("fovea.packed.set"));

  // Where the program has moved to, its weights may lie beside it.
  const std::filesystem::path moved = p.folder / "moved", weights = p.folder / "tiny_packed_packed.gguf";
  std::filesystem::copy_file(program, moved);
  CHECK(run_program(p.folder, {moved.string(), p.texts, "--json"}).said == run.said);

  // They carry the tokenizer, which then need not be named; one that is named is opened.
  std::filesystem::copy_file(program.parent_path() / "tiny_packed_packed.gguf", weights);
  CHECK(load_tokenizer(weights).encode("one two").ids == words().encode("one two").ids);
  const std::string other = p.folder.write("other.json", "none").string();
  CHECK(run_program(p.folder, {moved.string(), p.texts, "--json", "--tokenizer", FOVEA_TINY_WORDS}).said ==
        run.said);
  CHECK_THAT(run_program(p.folder, {moved.string(), p.texts, "--tokenizer", other}).said,
             Contains("other.json: "));
  std::filesystem::remove(weights);
  std::ofstream(weights) << "none";
  const program_run refused = run_program(p.folder, {moved.string(), p.texts, "--json"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.said, Contains("tiny_packed_packed.gguf"));
}

TEST_CASE("weights are packed for the set that is asked for, and those of another model are not",
          "[programs]") {
  const place p;
  const std::string to = (p.folder / "packed.gguf").string();
  {
    const program_variable isa("FOVEA_ISA", "baseline");
    REQUIRE(run_program(p.folder, {FOVEA_TINY_PACKER, FOVEA_TINY_WEIGHTS, to}).status == 0);
    CHECK_THROWS_WITH(load_tokenizer(to), Contains("expected a key 'tokenizer.ggml.model'"));
  }
  const auto packed = load_weights(to).metadata();
  CHECK(packed.at("fovea.packed.set") == "baseline");
  CHECK(packed.at("fovea.packed.format") == "f32");
  const program_run again = run_program(p.folder, {FOVEA_TINY_CLASSIFY, p.texts, "--weights", to});
  CHECK(again.said == run_program(p.folder, {FOVEA_TINY_CLASSIFY, p.texts}).said);

  p.draw(tiny::tag);
  const program_run refused = run_program(p.folder, {FOVEA_TINY_PACKER, p.weights, to});
  CHECK(refused.status == 2);
  CHECK(refused.is_one_line());
  CHECK_THAT(
      refused.said,
      Contains("weights.gguf: no parameter wants and no rule ignores the tensors 'types.weight' [2, 4]"));
}

TEST_CASE("a program tags the words of texts, and not what stands around them", "[programs]") {
  const place p;
  p.draw(tiny::tag);
  const program_run run = p.run(FOVEA_TINY_TAG, {p.texts, "--json"});
  REQUIRE(run.status == 0);
  const std::vector<json> lines = lines_of(run.said);
  REQUIRE(lines.size() == 4);
  const json& tags = lines[2]["tags"];
  REQUIRE(tags.size() == 5);
  CHECK(tags[0]["token"] == "one");
  CHECK(tags[4]["token"] == "five");
  // The tag of a word does not depend on where it stands in this model.
  CHECK(lines[3]["tags"][1]["label"] == tags[0]["label"]);
  CHECK(lines[3]["tags"][1]["probability"].get<double>() == Approx(tags[0]["probability"].get<double>()));
}

TEST_CASE("a program goes on with texts as decoding does", "[programs]") {
  const place p;
  const model_weights drawn = p.draw(tiny::generate);
  auto live = stream<"T">(last<"T">(tiny::generate), drawn, {.capacity = {{"B", 1}, {"T", 8}}});
  stream_reader reader(live,
                       [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  const token_ids prompt = words().encode("one two").ids;
  const hypothesis expected = greedy(reader, prompt, {.max_tokens = 8 - prompt.size(), .end = {2}});
  const program_run run = p.run(FOVEA_TINY_GENERATE, {"one two", "--temperature", "0", "--json"});
  REQUIRE(run.status == 0);
  const json line = json::parse(run.said.substr(0, run.said.find('\n')));
  CHECK(line["tokens"] == expected.ids.size());
  CHECK(line["log_probability"].get<double>() == Approx(expected.log_probability).epsilon(1e-4));
  CHECK_THAT(p.run(FOVEA_TINY_GENERATE, {"one two three four five one"}).said,
             Contains("the text has 8 tokens; expected fewer than 8, the context of the model"));
}

TEST_CASE("a program answers the turns of a conversation as decoding does", "[programs]") {
  const place p;
  const model_weights drawn = p.draw(tiny::generate);
  auto live = stream<"T">(last<"T">(tiny::generate), drawn, {.capacity = {{"B", 1}, {"T", 64}}});
  stream_reader reader(live,
                       [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  const std::string form =
                        p.folder
                            .write("form.jinja", "{{ bos_token }}{% for m in messages %} {{ m.content }} "
                                                 "{{ 'three' if m.role == 'user' else 'four' }}{% endfor %}")
                            .string(),
                    turns = p.folder.write("turns.txt", "one\ntwo one\nfive\n").string();
  const program_run run =
      p.run(FOVEA_TINY_GENERATE, {"--chat", "--chat-template", form, "--prompts", turns, "--context", "64",
                                  "--temperature", "0", "--tokens", "5", "--json"});
  REQUIRE(run.status == 0);
  const std::size_t end = run.said.rfind("tiny_generate: "); // where it says how fast it was
  const std::vector<json> lines = lines_of(run.said.substr(0, end));
  REQUIRE(lines.size() == 3);
  std::string text = "[CLS]";
  for (const json& line : lines) {
    text += " " + line["text"].get<std::string>() + " three";
    const hypothesis expected =
        greedy(reader, words().encode(text, {.special = false}).ids, {.max_tokens = 5, .end = {2}});
    CAPTURE(text);
    CHECK(line["tokens"] == expected.ids.size());
    CHECK(line["log_probability"].get<double>() == Approx(expected.log_probability).epsilon(1e-4));
    text += " " + words().decode(expected.ids) + " four";
  }
}

namespace {

/// How a program writes its texts, the weights of both models drawn for it.
struct ahead {
  const char* program;
  place p = {};
  std::string turns = p.folder.write("turns.txt", "one two one\nfive four\ntwo one\n").string();
  std::size_t came = 0, proposed = 0; // of tokens that were read ahead, by all runs

  std::vector<json> write(std::vector<std::string> given) {
    given.insert(given.end(), {"--prompts", turns, "--context", "64", "--json", "--seed", "5"});
    const program_run run = p.run(program, given);
    CAPTURE(run.said);
    REQUIRE(run.status == 0);
    const std::string name = std::filesystem::path(program).stem().string() + ": ";
    const std::size_t end = run.said.rfind(name); // where it says how fast it was
    const std::string last = run.said.substr(end);
    std::smatch told;
    if (std::regex_search(last, told, std::regex("a second, (\\d+) of (\\d+) read ahead came")))
      came += std::stoul(told[1]), proposed += std::stoul(told[2]);
    return lines_of(run.said.substr(0, end));
  }
  /// It writes the same by `option`, with any number of tokens.
  void check(const std::vector<std::string>& option) {
    const std::vector<std::vector<std::string>> ways{
        {"--temperature", "0.1", "--tokens", "40"},
        {"--temperature", "0"},
        {"--grammar-regex", "one( one| two){12,20}"},
        {"--chat", "plain", "--temperature", "0", "--tokens", "15"}};
    for (const std::vector<std::string>& way : ways) {
      const std::vector<json> expected = write(way);
      for (const char* tokens : {"1", "5", "100"}) {
        std::vector<std::string> given = way;
        given.insert(given.end(), option.begin(), option.end());
        given.push_back(tokens);
        const std::vector<json> found = write(given);
        REQUIRE(found.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
          CHECK(found[i]["generated"] == expected[i]["generated"]);
          CHECK(found[i]["ended"] == expected[i]["ended"]);
          CHECK(found[i]["log_probability"].get<double>() ==
                Approx(expected[i]["log_probability"].get<double>()).epsilon(1e-4));
        }
      }
    }
    CHECK(came > 0);
  }
};

/// The weights of the program's small model.
std::string draw_small(const place& p) {
  const std::filesystem::path file = p.folder / "small.gguf";
  save_weights<f32>(file, tiny::lookup, initial_weights(tiny::lookup, 4));
  return file.string();
}

} // namespace

TEST_CASE("a program keeps keys and values in the format that it is told", "[programs]") {
  const place p;
  p.draw(tiny::lookup);
  const auto write = [&](const char* format) {
    const program_run run =
        p.run(FOVEA_TINY_AHEAD_LOOKUP, {"one two", "--temperature", "0", "--tokens", "20", "--context", "64",
                                        "--draft", "0", "--json", "--cache", format});
    CAPTURE(run.said);
    REQUIRE(run.status == 0);
    return json::parse(run.said.substr(0, run.said.find('\n')));
  };
  const json plain = write("f32");
  for (const char* format : {"f16", "bf16"}) {
    const json kept = write(format);
    CHECK(kept["generated"] == plain["generated"]);
    CHECK(kept["log_probability"] != plain["log_probability"]);
    CHECK(kept["log_probability"].get<double>() ==
          Approx(plain["log_probability"].get<double>()).epsilon(1e-2));
  }
  const program_run refused = p.run(FOVEA_TINY_AHEAD_LOOKUP, {"one", "--cache", "q8_0"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.said, Contains("found heads of 4"));
  CHECK(p.run(FOVEA_TINY_AHEAD_LOOKUP, {"one", "--cache", "q4_0"}).status != 0);
}

TEST_CASE("a program that looks up its text writes the same in fewer steps", "[programs]") {
  ahead rewound{FOVEA_TINY_AHEAD_LOOKUP}, saved{FOVEA_TINY_AHEAD_GENERATE};
  rewound.p.draw(tiny::lookup);
  saved.p.draw(tiny::generate);
  saved.check({"--prompt-lookup"});
  rewound.check({"--prompt-lookup"});
  const place p;
  p.draw(tiny::generate);
  const program_run refused = p.run(FOVEA_TINY_GENERATE, {"one", "--prompt-lookup", "4"});
  CHECK(refused.status == 2);
  CHECK(refused.said ==
        "tiny_generate: --prompt-lookup: expected a program that fovea_add_executable made with "
        "PROMPT_LOOKUP; this one scores the last token of a step alone\n");
}

TEST_CASE("a program writes the same in fewer steps where a small model proposes tokens", "[programs]") {
  ahead rewound{FOVEA_TINY_AHEAD_LOOKUP}, saved{FOVEA_TINY_AHEAD_GENERATE};
  rewound.p.draw(tiny::lookup);
  saved.p.draw(tiny::generate);
  saved.check({"--draft-weights", draw_small(saved.p), "--draft"});
  rewound.check({"--draft-weights", draw_small(rewound.p), "--draft"});
  CHECK(rewound.came < rewound.proposed);

  // What is in the program is the model itself, which proposes what it says.
  const program_run own = run_program(
      rewound.p.folder, {FOVEA_TINY_AHEAD_LOOKUP, "one two", "--temperature", "0", "--context", "64"});
  CAPTURE(own.said);
  std::smatch told;
  REQUIRE(std::regex_search(own.said, told, std::regex("a second, (\\d+) of (\\d+) read ahead came")));
  CHECK(std::stoul(told[1]) > 0);
  CHECK(told[1] == told[2]);

  const auto refusal = [](const ahead& of, std::vector<std::string> given) {
    given.insert(given.begin(), "one");
    const program_run run = of.p.run(of.program, given);
    CHECK(run.status == 2);
    return run.said;
  };
  CHECK(refusal(saved, {"--draft", "3"}) ==
        "tiny_ahead_generate: --draft-weights is required: the program is built without weights of its small "
        "model\n");
  CHECK_THAT(refusal(saved, {"--draft", "3", "--prompt-lookup", "3"}), Contains("excludes"));
  CHECK_THAT(refusal(saved, {"--draft-weights", saved.p.weights}),
             Contains("tiny_ahead_generate: ") && Contains("weights.gguf"));
  const ahead without{FOVEA_TINY_GENERATE};
  without.p.draw(tiny::generate);
  CHECK(
      refusal(without, {"--draft", "3"}) ==
      "tiny_generate: --draft: expected a program that fovea_add_executable made with DRAFT; this one has no "
      "small model\n");
}

TEST_CASE("a program writes what a regular expression matches", "[programs]") {
  const place p;
  p.draw(tiny::generate);
  const auto generate = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"one two", "--context", "64", "--json"});
    return p.run(FOVEA_TINY_GENERATE, more);
  };
  std::set<std::string> written;
  for (int seed = 0; seed < 12; ++seed) {
    const program_run run =
        generate({"--grammar-regex", "(one|two)( three| four){2,3}", "--seed", std::to_string(seed)});
    REQUIRE(run.status == 0);
    const json line = json::parse(run.said.substr(0, run.said.find('\n')));
    const auto text = line["generated"].get<std::string>();
    CAPTURE(text);
    CHECK(line["ended"] == "end");
    CHECK(std::regex_match(text, std::regex("(one|two)( three| four){2,3}")));
    written.insert(text);
  }
  CHECK(written.size() > 3);

  // What goes on with nothing allowed ends without an end token.
  CHECK_THAT(p.run(FOVEA_TINY_GENERATE, {"one", "--grammar-regex", "five two"}).said,
             Contains("onefive two\n"));
  CHECK_THAT(generate({"--grammar-regex", "one("}).said,
             Contains("regular expression: expected ) at byte 4; found its end"));
  CHECK_THAT(
      generate({"--grammar-regex", "six"}).said,
      Contains(
          "grammar: expected a token of the vocabulary that goes on with the text as it asks; found none"));
}

TEST_CASE("a program writes JSON that fits a schema, in a conversation too", "[programs]") {
  const place p;
  p.draw(tiny::generate);
  const std::string letters = p.folder
                                  .write("letters.json", R"({"decoder": {"type": "ByteLevel"},
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
    "added_tokens": [{"id": 0, "content": "[CLS]", "special": true}, {"id": 1, "content": "[SEP]", "special": true}],
    "model": {"type": "BPE", "vocab": {"[CLS]": 0, "[SEP]": 1, "{": 2, "}": 3, "\"": 4, "a": 5, ":": 6, "1": 7}, "merges": []}})")
                                  .string(),
                    schema = p.folder
                                 .write("schema.json", R"({"type": "object", "required": ["a"],
    "properties": {"a": {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer", "maximum": 111}]}}})")
                                 .string(),
                    turns = p.folder.write("turns.txt", "a\n11\n").string();
  for (const bool talks : {false, true}) {
    std::vector<std::string> given{"--tokenizer", letters,  "--json-schema", schema, "--context",
                                   "64",          "--json", "--seed",        "3",    "--prompts",
                                   turns};
    if (talks) given.insert(given.end(), {"--chat", "chatml"});
    const program_run run = p.run(FOVEA_TINY_GENERATE, given);
    CAPTURE(run.said);
    REQUIRE(run.status == 0);
    const std::vector<json> lines = lines_of(run.said.substr(0, run.said.rfind("tiny_generate: ")));
    REQUIRE(lines.size() == 2);
    for (const json& line : lines) {
      const json value = json::parse(line["generated"].get<std::string>());
      CHECK(value.size() == 1);
      CHECK((value["a"].is_string() || value["a"] <= 111));
    }
  }
  const std::string bad = p.folder.write("bad.json", R"({"type": "text"})").string();
  CHECK_THAT(
      p.run(FOVEA_TINY_GENERATE, {"one", "--json-schema", bad}).said,
      Contains("bad.json: JSON schema: #/type: expected one of object, array, string, integer, number, "
               "boolean, null; found \"text\""));
  CHECK(p.run(FOVEA_TINY_GENERATE, {"one", "--json-schema", schema, "--grammar-regex", "one"}).status != 0);
}

TEST_CASE("a program scores texts as decoding does", "[programs]") {
  const place p;
  const model_weights drawn = p.draw(tiny::score);
  auto live = stream<"T">(tiny::score, drawn, {.capacity = {{"B", 1}, {"T", 8}}});
  stream_reader reader(live,
                       [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  const program_run run = p.run(FOVEA_TINY_SCORE, {p.texts, "--json"});
  REQUIRE(run.status == 0);
  const std::vector<json> lines = lines_of(run.said);
  REQUIRE(lines.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(lines[i]["log_probability"].get<double>() ==
          Approx(log_probability(reader, words().encode(texts[i]).ids)).epsilon(1e-4));
}

TEST_CASE("a context beyond that of the model is refused by the option's name", "[programs]") {
  const place p;
  p.draw(tiny::score);
  CHECK(p.run(FOVEA_TINY_SCORE, {p.texts, "--context", "64"}).status == 0);
  const program_run run = p.run(FOVEA_TINY_SCORE, {p.texts, "--context", "9999"});
  CHECK(run.status == 2);
  CHECK(run.said ==
        "tiny_score: --context: expected at most 64, the longest that the model takes; found 9999\n");
}

TEST_CASE("a program translates texts as a beam does", "[programs]") {
  const place p;
  const model_weights drawn = p.draw(tiny::translate);
  auto live = stream<"T">(last<"T">(tiny::translate), drawn, {.capacity = {{"B", 3}, {"S", 9}, {"T", 9}}});
  const program_run run = p.run(FOVEA_TINY_TRANSLATE, {p.texts, "--json", "--beam", "3", "--best", "2"});
  REQUIRE(run.status == 0);
  const std::vector<json> lines = lines_of(run.said);
  REQUIRE(lines.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const xt::xtensor<int, 2> source = ids_of(texts[i]); // which ends with [SEP]
    const xt::xtensor<int, 1> lengths{static_cast<int>(source.size())};
    stream_reader reader(
        live, [](auto& s, const auto& ids) { return s.step("target"_in = ids)["logits"_out]; },
        [&](auto& s) { s.begin("source"_in = source, "lengths"_in = lengths); });
    const std::vector<hypothesis> expected =
        beam_search(reader, token_ids{1}, {.width = 3, .best = 2}, {.max_tokens = 8, .end = {2}});
    REQUIRE(lines[i]["translations"].size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      CHECK(lines[i]["translations"][k]["text"] == words().decode(expected[k].ids));
      CHECK(lines[i]["translations"][k]["log_probability"].get<double>() ==
            Approx(expected[k].log_probability).epsilon(1e-4));
    }
  }
  const program_run plain = p.run(FOVEA_TINY_TRANSLATE, {p.texts});
  CHECK(std::ranges::count(plain.said, '\n') == 4);
  CHECK_THAT(
      p.run(FOVEA_TINY_TRANSLATE, {p.folder.write("long.txt", "one one one one one one one one\n").string()})
          .said,
      Contains("long.txt:1: the text has 9 tokens; expected at most 8"));
  CHECK_THAT(p.run(FOVEA_TINY_TRANSLATE, {p.folder.write("empty.txt", "one\n\n").string()}).said,
             Contains("empty.txt:2: the text is empty"));
}

namespace {

/// A sequence of the filter, [1, n, 2], as lines.
xt::xtensor<float, 3> numbers(std::size_t n, float first) {
  xt::xtensor<float, 3> x({1, n, 2});
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = first + 0.25f * static_cast<float>(i % 7);
  return x;
}
std::string lines_of_numbers(const xt::xtensor<float, 3>& x) {
  std::ostringstream text;
  for (std::size_t t = 0; t < x.shape(1); ++t)
    text << x(0, t, 0) << (t % 2 == 0 ? " " : ", ") << x(0, t, 1) << '\n';
  return text.str();
}

} // namespace

TEST_CASE("a program moves along numbers that come as lines", "[programs]") {
  const place p;
  auto net = compile(tiny::stream, p.draw(tiny::stream), {.capacity = {{"B", 1}, {"T", 24}}});
  const xt::xtensor<float, 3> first = numbers(20, -1), second = numbers(1, 2);
  const std::string file =
      p.folder.write("numbers.txt", lines_of_numbers(first) + "\n" + lines_of_numbers(second)).string();
  const program_run run = p.run(FOVEA_TINY_STREAM, {file});
  REQUIRE(run.status == 0);
  // As many positions come out of each sequence as went in, and an empty line between them.
  std::istringstream said(run.said);
  for (const auto* x : {&first, &second}) {
    const auto out = net("x"_in = *x);
    for (std::size_t t = 0; t < x->shape(1); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        float value = 0;
        REQUIRE(said >> value);
        CHECK(value == Approx(out["y"_out](0, t, k)).margin(1e-6));
      }
  }
  CHECK(std::ranges::count(run.said, '\n') == 22);
  const program_run as_json = p.run(FOVEA_TINY_STREAM, {file, "--json"});
  CHECK(json::parse(as_json.said.substr(0, as_json.said.find('\n')))["output"].size() == 3);
}

TEST_CASE("what is no number is null in JSON, and told in lines", "[programs]") {
  const place p;
  std::map<std::string, core::weight_tensor> large;
  const model_weights drawn = initial_weights(tiny::stream, 3);
  for (const auto& [name, tensor] : drawn.tensors())
    large[name] = {tensor.shape, std::vector<float>(core::count_of(tensor), 10.f)};
  save_weights<f32>(p.folder / "weights.gguf", tiny::stream, model_weights::from(large));
  const std::string file = p.folder.write("n.txt", "3e38 3e38\n").string();
  CHECK(p.run(FOVEA_TINY_STREAM, {file, "--json"}).said == "{\"output\": [null, null, null]}\n");
  CHECK(p.run(FOVEA_TINY_STREAM, {file}).said == "inf inf inf\n");
}

TEST_CASE("a program moves along numbers that come as bytes", "[programs]") {
  const place p;
  auto net = compile(tiny::stream, p.draw(tiny::stream), {.capacity = {{"B", 1}, {"T", 24}}});
  const xt::xtensor<float, 3> x = numbers(21, 0.5);
  const std::string bytes(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(float));
  const std::string one = p.folder.write("one.raw", bytes.substr(0, 5 * 8 + 3)).string(),
                    two = p.folder.write("two.raw", bytes.substr(5 * 8 + 3)).string();
  const program_run run = p.run(FOVEA_TINY_STREAM, {one, two, "--raw"});
  REQUIRE(run.status == 0);
  REQUIRE(run.said.size() == 21 * 3 * sizeof(float));
  const auto out = net("x"_in = x);
  for (std::size_t i = 0; i < 21 * 3; ++i) {
    float value = 0;
    std::memcpy(&value, run.said.data() + i * sizeof value, sizeof value);
    CHECK(value == Approx(out["y"_out].data()[i]).margin(1e-6));
  }
  CHECK_THAT(p.run(FOVEA_TINY_STREAM, {one, "--raw"}).said,
             Contains("one.raw: expected positions of 8 bytes; 3 are left at the end"));
}

TEST_CASE("numbers that are none are refused by their line", "[programs]") {
  const place p;
  p.draw(tiny::stream);
  const auto said = [&](const std::string& text) {
    const program_run run = p.run(FOVEA_TINY_STREAM, {p.folder.write("n.txt", text).string()});
    CHECK(run.status == 2);
    return run.said;
  };
  CHECK_THAT(said("1 2\n3 x4\n"), Contains("n.txt:2: expected a number; found \"x4\""));
  CHECK_THAT(said("1 1e99\n"), Contains("n.txt:1: 1e99 is beyond the range of float32"));
  for (const char* word : {"nan", "inf", "-inf", "-nan(1)"})
    CHECK_THAT(said("1 2\n1 " + std::string(word) + "\n"),
               Contains("n.txt:2: expected a finite number; found \"" + std::string(word) + "\""));
  // Raw numbers: 1 is no UTF-8, 2 is.
  for (const std::string& raw : {std::string("\0\0\x80\x3f", 4), std::string("\0\0\0\x40", 4)})
    CHECK_THAT(said(raw), Contains("n.txt:1: ") && Contains("; --raw reads float32 in place of lines"));
  CHECK_THAT(said("1 2 3\n"),
             Contains("n.txt:1: expected 2 numbers, as the model takes at each position; found 3"));
}

TEST_CASE("bad input to a program is one line that names where it stands", "[programs]") {
  const place p;
  p.draw(tiny::embed);
  const auto refused = [&](std::vector<std::string> more) {
    const program_run run = p.run(FOVEA_TINY_EMBED, std::move(more));
    CHECK(run.status == 2);
    CHECK(run.is_one_line());
    return run.said;
  };
  CHECK_THAT(refused({(p.folder / "none.txt").string()}),
             Contains("none.txt: cannot open: No such file or directory"));
  // What stands before it is answered.
  const program_run broken = p.run(FOVEA_TINY_EMBED, {p.folder.write("broken.txt", "one\na\xff\n").string()});
  CHECK(broken.status == 2);
  CHECK(std::ranges::count(broken.said, '\n') == 2);
  CHECK_THAT(broken.said, Contains("\ntiny_embed: ") && Contains("broken.txt:2: "));
  CHECK_THAT(refused({p.folder.write("l.json", "{\"text\": 3}\n").string(), "--field", "text"}),
             Contains("l.json:1: expected an object whose \"text\" is a text"));
  CHECK_THAT(refused({p.texts, "--context", "0"}), Contains("--context"));
  CHECK_THAT(refused({p.texts, "--tokenizer", p.texts}), Contains("texts.txt: "));
  const program_run none = run_program(p.folder, {FOVEA_TINY_EMBED, p.texts});
  CHECK(none.status == 2);
  CHECK(none.said == "tiny_embed: --weights is required: the program is built without weights\n");
}

TEST_CASE("a text that is too long is cut, and that is said", "[programs]") {
  const place p;
  p.draw(tiny::embed);
  const std::string file = p.folder.write("long.txt", "one one one one one one one two\n").string();
  const program_run run = p.run(FOVEA_TINY_EMBED, {file});
  CHECK(run.status == 0);
  CHECK_THAT(run.said, Contains("long.txt:1: the text is cut to its first 8 tokens"));
}

TEST_CASE("programs say what they are", "[programs]") {
  const place p;
  CHECK_THAT(run_program(p.folder, {FOVEA_TINY_TAG, "--version"}).said,
             Contains("tiny_tag: tiny::tag, weights in f32, baseline, Fovea "));
  CHECK_THAT(run_program(p.folder, {FOVEA_TINY_TAG, "--help"}).said, Contains("--field"));
}
