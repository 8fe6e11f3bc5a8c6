#include "../../gguf_writer.hpp"
#include "../../golden_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/chat/chat_source.hpp>
#include <fovea/runtime/chat/chat_template.hpp>
#include <fovea/weights/gguf.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <span>

using namespace fovea;
using json = nlohmann::ordered_json;

namespace {

template <typename function>
std::string refusal(const function& call) {
  try {
    call();
  } catch (const error& reason) {
    return reason.what();
  }
  return "";
}

std::string refused_text(const std::string& text) {
  return refusal([&] { chat_template::from_text(text, {}, "t"); });
}
std::string refused_run(const std::string& text) {
  const auto made = chat_template::from_text(text, {}, "t");
  return refusal([&] { made.prompt({{"user", "Hi"}}); });
}

json golden() {
  json made;
  std::ifstream(std::string(fovea::core::test::golden_folder) + "/chat_templates.json") >> made;
  return made;
}

std::string prompt_of(const json& all, const std::string& text) {
  std::tm now{};
  now.tm_year = 126;
  now.tm_mon = 10;
  now.tm_mday = 27;
  const std::string tools = all["tools"].dump();
  return chat_template::from_text(text, {.bos_token = "<s>", .eos_token = "</s>"}, "t")
      .prompt_of_json(all["messages"].dump(), {.add_generation_prompt = true,
                                               .tools = tools,
                                               .variables = R"({"enable_thinking": false})",
                                               .now = now});
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  REQUIRE(out.flush());
}

} // namespace

TEST_CASE("templates give the text that jinja2 gives", "[chat_template]") {
  const json all = golden();
  for (const json& one : all["cases"]) {
    const auto text = one[0].get<std::string>();
    CAPTURE(text);
    if (one[1].is_null())
      CHECK_THROWS_AS(prompt_of(all, text), error);
    else
      CHECK(prompt_of(all, text) == one[1].get<std::string>());
  }
}

TEST_CASE("a conversation in ChatML", "[chat_template]") {
  const auto made = chat_template::from_text(
      "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}"
      "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}");
  CHECK(made.prompt({{"user", "Hi"}}) == "<|im_start|>user\nHi<|im_end|>\n");
  CHECK(made.prompt({{"user", "Hi"}, {"assistant", "Yo"}}, {.add_generation_prompt = true}) ==
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYo<|im_end|>\n<|im_start|>assistant\n");
}

TEST_CASE("named forms give the text that jinja2 gives", "[chat_template]") {
  const json all = golden();
  REQUIRE(all["forms"].size() == 4 * 13 * 2);
  for (const json& one : all["forms"]) {
    CAPTURE(one[0], one[1]);
    const auto form = chat_template::named(one[0].get<std::string>());
    const std::string messages = one[1].dump();
    const auto text = [&] {
      return form.prompt_of_json(messages, {.add_generation_prompt = one[2].get<bool>()});
    };
    if (one[3].is_null())
      CHECK_THROWS_AS(text(), chat_error);
    else
      CHECK(text() == one[3].get<std::string>());
  }
  CHECK(chat_template::named("plain").ends() == std::vector<std::string>{"\nuser:", "\nsystem:"});
  CHECK(chat_template::named("chatml").ends() == std::vector<std::string>{"<|im_end|>"});
  CHECK(refusal([] { chat_template::named("loud"); }) ==
        "expected plain, chatml, llama2 or llama3; found 'loud'");
  const auto plain = chat_template::named("plain");
  CHECK(refusal([&] {
          plain.prompt({{"king", "one"}});
        }).ends_with(": expected the roles system, developer, user and assistant; found king"));
}

TEST_CASE("a template says what it knows", "[chat_template]") {
  const auto made = chat_template::from_text("tools {# tools #}{{ m.role == 'developer' }}{{ add['x'] }}",
                                             {.eos_token = "</s>"});
  CHECK(made.mentions("developer"));
  CHECK(made.mentions("role"));
  CHECK(made.mentions("x"));
  CHECK_FALSE(made.mentions("tools"));
  CHECK(made.ends() == std::vector<std::string>{"</s>"});
  CHECK(chat_template::from_text("").ends().empty());

  const auto both = made.with_tools(chat_template::from_text("with {{ tools | length }}"));
  CHECK(both.mentions("tools"));
  CHECK(both.mentions("developer"));
  CHECK(both.prompt({}, {.tools = "[1, 2]"}) == "with 2");
  CHECK(both.ends() == made.ends());
  CHECK_FALSE(made.mentions("tools"));
}

TEST_CASE("what messages a template refuses it says without its place, too", "[chat_template]") {
  const auto made = chat_template::from_text("\n{{ raise_exception('Only users speak') }}", {}, "t");
  try {
    made.prompt({});
    FAIL("nothing is thrown");
  } catch (const chat_error& problem) {
    CHECK(problem.sentence() == "Only users speak");
    CHECK(std::string(problem.what()) == "t:2: Only users speak");
  }
}

TEST_CASE("what a template lacks is refused when it is read", "[chat_template]") {
  CHECK(refused_text("a\n{{ x") == "t:2: expected }} that ends the tag; found the end of the template");
  CHECK(refused_text("{% if x %}") == "t:1: expected {% endif %}; found the end of the template");
  CHECK(refused_text("{{ x y }}") == "t:1: expected an operator or }}; found 'y'");
  CHECK(refused_text("\n\n{{ }}") == "t:3: expected an expression; found }}");
  CHECK(refused_text("{% include 'x' %}") == "t:1: expected the tag if, for, set, macro, filter, generation, "
                                             "break, continue or raw; found 'include'");
  CHECK(refused_text("{% break %}") ==
        "t:1: expected this tag within a loop; found {% break %} outside of one");
  CHECK(refused_text("{% raw %} {{ x }}") == "t:1: expected {% endraw %}; found the end of the template");
  CHECK(refused_text("{{ 'a' }") == "t:1: expected a bracket that was opened; found '}'");
  CHECK(refused_text("{{ {1: 2} }}") == "t:1: expected names of an object that are texts; found '1'");
  CHECK(refused_text("{{ 'a' | safe + 'b' }}") == "t:1: expected ~ beside the filter safe; found '+'");
  CHECK(refused_text("{{ 99999999999999999999 }}") ==
        "t:1: expected a whole number of 64 bits; found '99999999999999999999'");
  CHECK(refused_text("{{ x | shuffle }}").starts_with("t:1: expected one of the filters abs, capitalize, "));
  CHECK(refused_text("{{ x | map('shuffle') }}").starts_with("t:1: expected one of abs, "));
  CHECK(refused_text("{{ x is prime }}").starts_with("t:1: expected one of the tests boolean, "));
  CHECK(refused_text("{{ x.append(1) }}").ends_with(" or values; found .append()"));
  CHECK(refused_text("{% for x in y %}{{ loop.changed(x) }}{% endfor %}").ends_with("; found loop.changed"));
  CHECK(refused_text("{{ 'a\xff' }}").starts_with("t: "));
  CHECK(refused_text("{{ " + std::string(2000, '(')) != "");
  CHECK(refused_text("{{ " + std::string(2000, '[') + std::string(2000, ']') + " }}") ==
        "t:1: expected parts nested at most 150 deep; found more");
  std::string sum = "{{ 1";
  for (int i = 0; i < 2000; ++i) sum += " + 1";
  CHECK(refused_text(sum + " }}") == "t:1: expected parts nested at most 150 deep; found more");
}

TEST_CASE("what goes wrong while a template runs names its line", "[chat_template]") {
  CHECK(refused_run("\n{{ raise_exception('Only users speak') }}") == "t:2: Only users speak");
  CHECK(refused_run("\n\n{{ message.role }}") ==
        "t:3: expected a value with the member 'role'; found message, which is undefined");
  CHECK(refused_run("{{ 'a' + 1 }}") == "t:1: expected values that + joins; found the text 'a' and 1");
  CHECK(refused_run("{{ nothing() }}") == "t:1: expected a function; found nothing, which is undefined");
  const auto made = chat_template::from_text("{{ x }}");
  CHECK(refusal([&] { made.prompt_of_json("[{]"); }).starts_with("messages: expected JSON; found "));
  CHECK(refusal([&] { made.prompt_of_json("{}"); }) == "messages: expected a list in JSON; found an object");
  CHECK(refusal([&] { made.prompt({}, {.variables = "[]"}); }) ==
        "variables: expected an object in JSON; found a list");
  CHECK(refusal([&] { made.prompt({{"user", "\xff"}}); }).starts_with("message 1: "));
}

TEST_CASE("templates that would not end are stopped", "[chat_template]") {
  const std::string many = "{% for a in range(100000) %}{% for b in range(100000) %}";
  CHECK(refused_run(many + "{% endfor %}{% endfor %}") ==
        "t:1: expected a template that ends within 4000000 steps; found one that goes on");
  CHECK(refused_run(
            "{% set n = namespace(x='ab') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}") ==
        "t:1: expected values of at most 67108864 bytes; found 134217728");
  CHECK(
      refused_run("{% set n = namespace(x=1) %}{% for i in range(999) %}{% set n.x = [n.x] %}{% endfor %}") ==
      "t:1: expected lists and objects nested at most 100 deep; found more");
  CHECK(refused_run(
            "{% set n = namespace(x=[1]) %}{% for i in range(99) %}{% set n.x = [n.x, n.x] %}{% endfor %}") !=
        "");
  CHECK(refused_run("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}") ==
        "t:1: expected a template that calls itself at most 1000 deep; found more");
  CHECK(refused_run("{{ 'a' * 999999999999 }}") != "");
  CHECK(refused_run("{{ 9223372036854775807 + 1 }}") ==
        "t:1: expected whole numbers of 64 bits; found a greater one");
  CHECK(refused_run("{% set n = namespace(f=[]) %}{% for i in range(100000) %}{% set n.f = [n.f.count] %}"
                    "{% endfor %}") == "t:1: expected lists and objects nested at most 100 deep; found more");
  std::string maps = "{{ 'a' | map('map'";
  for (int i = 0; i < 15000; ++i) maps += ", 'map'";
  CHECK(refused_run(maps + ", 'upper') }}") == "t:1: map: expected at most 100 arguments; found 15002");
  CHECK(refused_run("{% set s = 'a' * 2000000 %}{% for i in range(1000) %}{{ s.count('b') }}{% endfor %}") ==
        "t:1: expected a template that ends within 4000000 steps; found one that goes on");
  CHECK(refused_run("{{ ('b' * 1000000).strip('a' * 1000000 ~ 'b') }}")
            .starts_with("t:1: expected a shorter text to look for; "));
  // A namespace that holds itself, and a macro that outlives its loop, cost no memory and no crash.
  CHECK(chat_template::from_text(
            "{% set n = namespace() %}{% set n.n = n %}{% for i in [1, 2] %}{% macro m() %}{{ i }}"
            "{% endmacro %}{% set n.get = m %}{% endfor %}{{ n.get() }}")
            .prompt({}) == "2");
}

TEST_CASE("a long text is not taken apart for one of its characters", "[chat_template]") {
  const std::string long_text = "{% set s = '" + std::string(1000, 'x') + "' * 50000 %}";
  const auto made = [&](const std::string& text) {
    return chat_template::from_text(long_text + text, {}, "t").prompt({});
  };
  CHECK(made("{{ s[0] }}{{ s[-2:] }}") == "xxx");
  CHECK(made("{{ s | first }}{{ s | last }}") == "xx");
  const std::string sentence = "t:1: expected a text that comes apart into at most 1048576 parts; found ";
  CHECK(refused_run(long_text + "{% for c in s %}{% endfor %}") == sentence + "50000000");
  CHECK(refused_run(long_text + "{{ s | list }}") == sentence + "50000000");
  for (const char* parts : {"('x' * 2000000).split('x')", "('x' * 2000000).rsplit('x')",
                            "(' a' * 2000000).split()", "('\\n' * 2000000).splitlines()"}) {
    CAPTURE(parts);
    CHECK(refused_run(std::string("{{ ") + parts + " }}") == sentence + "1048577");
  }
}

TEST_CASE("arguments that nothing is done with are refused", "[chat_template]") {
  CHECK(refused_run("{{ 'a'.find('a', 0, 1, 2) }}") == "t:1: find: expected at most 3 arguments; found 4");
  CHECK(refused_run("{{ 'a'.split(by=',') }}") ==
        "t:1: split: expected the argument sep or maxsplit; found 'by'");
  CHECK(refused_run("{{ 'a'.split(',', sep=',') }}") ==
        "t:1: split: expected the argument maxsplit; found 'sep'");
  CHECK(refused_run("{{ 'a' | upper(first=true) }}") == "t:1: upper: expected no more; found 'first'");
  CHECK(refused_run("{{ 'a' | indent(1, 2, 3, 4) }}") ==
        "t:1: indent: expected at most 3 arguments; found 4");
  CHECK(refused_run("{{ '1' | int(0, 1) }}") == "t:1: int: expected a base from 2 to 36; found 1");
}

TEST_CASE("cut and shuffled templates are refused or run, and nothing else", "[chat_template]") {
  const json all = golden();
  std::mt19937 random(7); // NOLINT: the same cuts each time
  for (const json& one : all["cases"]) {
    const auto text = one[0].get<std::string>();
    for (int i = 0; i < 60; ++i) {
      std::string cut = text;
      const std::size_t begin = random() % cut.size(), end = begin + random() % (cut.size() - begin) + 1;
      if (i % 3 == 0)
        cut.resize(begin);
      else if (i % 3 == 1)
        cut.erase(begin, end - begin);
      else
        std::swap(cut[begin], cut[end - 1]);
      CAPTURE(cut);
      try {
        prompt_of(all, cut);
      } catch (const error& problem) {
        CHECK(std::string(problem.what()).starts_with("t:"));
      }
    }
  }
}

TEST_CASE("templates are found in the files of a model", "[chat_template]") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "fovea_chat_template";
  remove_all(folder);
  create_directories(folder);
  const auto text = [&](std::string_view name = "default") {
    return chat_template::load(folder, {.name = name}).prompt({});
  };
  const auto file = (folder / "tokenizer_config.json").string();
  write(file, R"({"bos_token": {"content": "<s>"}, "eos_token": "</s>", "pad_token": null,
                  "chat_template": "{{ bos_token }}{{ eos_token }}{{ pad_token }}"})");
  CHECK(text() == "<s></s>");
  CHECK(chat_template::load(file).prompt({}) == "<s></s>");
  CHECK(refusal([&] { text("tool_use"); }) ==
        file + ": chat_template: expected the template 'tool_use'; found 'default'");

  write(file, R"({"bos_token": "<s>", "chat_template": [{"name": "default", "template": "a"},
                                                         {"name": "tool_use", "template": "b{{ bos_token }}"}]})");
  CHECK(text() == "a");
  CHECK(text("tool_use") == "b<s>");
  CHECK(chat_template::load(folder).prompt({}, {.tools = "[1]"}) == "b<s>");
  CHECK(refusal([&] { text("rag"); }) ==
        file + ": chat_template: expected the template 'rag'; found 'default', 'tool_use'");

  write(folder / "chat_template.json", R"({"chat_template": "c{{ bos_token }}"})");
  CHECK(text() == "c<s>");
  write(folder / "chat_template.jinja", "d{{ bos_token }}\n{{ x.y }}");
  CHECK(refusal([&] { text(); }).starts_with((folder / "chat_template.jinja").string() + ":2: expected "));
  create_directories(folder / "additional_chat_templates");
  write(folder / "additional_chat_templates" / "rag.jinja", "e{{ bos_token }}");
  CHECK(text("rag") == "e<s>");
  CHECK(refusal([&] { text("tool_use"); }) ==
        (folder / "chat_template.jinja").string() +
            ": chat_template: expected the template 'tool_use'; found 'default'");
  write(folder / "chat_template.jinja", "d{{ bos_token }}");
  write(folder / "additional_chat_templates" / "tool_use.jinja", "f{{ tools }}{{ bos_token }}");
  CHECK(text() == "d<s>");
  CHECK(chat_template::load(folder).prompt({}, {.tools = "[1]"}) == "f[1]<s>");
  CHECK(chat_template::load(folder / "additional_chat_templates" / "rag.jinja").prompt({}) == "e<s>");

  write(file, R"({"bos_token": 1})");
  CHECK(refusal([&] { text(); }) ==
        file + ": bos_token: expected a text, or an object with the text content; found 1");
  remove_all(folder);
  CHECK_THROWS_AS(text(), error);
}

TEST_CASE("a GGUF file has its templates, and what ends an answer", "[chat_template]") {
  using namespace fovea::core;
  const auto file = (std::filesystem::temp_directory_path() / "fovea_chat_template.gguf").string();
  const auto begun = [] {
    test::gguf_writer made;
    std::string tokens;
    for (const char* token : {"<unk>", "<s>", "</s>", "<end>"}) tokens += test::gguf_writer::text(token);
    made.add_array("tokenizer.ggml.tokens", gguf_type::text, 4, tokens);
    made.add("tokenizer.ggml.bos_token_id", std::uint32_t{1});
    made.add("tokenizer.ggml.eos_token_id", std::uint32_t{2});
    return made;
  };
  test::gguf_writer whole = begun();
  whole.add("tokenizer.ggml.eot_token_id", std::uint32_t{3});
  whole.add("tokenizer.chat_template", "a{{ bos_token }}{{ eos_token }}{{ pad_token }}");
  whole.add("tokenizer.chat_template.tool_use", "b{{ tools }}{{ bos_token }}");
  write(file, whole.file());
  CHECK(chat_template::load(file).prompt({}) == "a<s></s>");
  CHECK(chat_template::load(file, {.tokens = {.bos_token = "x", .pad_token = "p"}}).prompt({}) ==
        "a<s></s>p");
  CHECK(chat_template::load(file).prompt({}, {.tools = "[1]"}) == "b[1]<s>");
  CHECK(chat_template::load(file, {.name = "tool_use"}).prompt({}) == "bNone<s>");
  {
    const gguf_metadata keys = gguf_file(file).metadata();
    const chat_source said = chat_source_of(keys);
    CHECK(said.ends == std::vector<token_id>{2, 3});
    CHECK(said.tokens.eos_token == "</s>");
    CHECK(chat_template_in(keys, said.tokens)->prompt({}) == "a<s></s>");
  } // Windows writes no file that is mapped

  write(file, begun().file());
  CHECK_FALSE(chat_template_in(gguf_file(file).metadata(), {}));
  CHECK(refusal([&] { chat_template::load(file); }) ==
        file + ": chat_template: expected the template 'default'; found none");
  test::gguf_writer wrong = begun();
  wrong.add("tokenizer.ggml.eot_token_id", std::uint32_t{4});
  write(file, wrong.file());
  CHECK(refusal([&] { chat_source_of(gguf_file(file).metadata()); }) ==
        file + ": key 'tokenizer.ggml.eot_token_id': expected the id of a token; found 4");
  std::filesystem::remove(file);
}

TEST_CASE("files beside a tokenizer say the same in memory as in a folder", "[chat_template]") {
  using namespace fovea::core;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "fovea_chat_source";
  remove_all(folder);
  create_directories(folder / "additional_chat_templates");
  const std::map<std::string, std::string> texts{
      {"tokenizer_config.json", R"({"bos_token": "<s>", "chat_template": "old"})"},
      {"generation_config.json", R"({"eos_token_id": [2, 7]})"},
      {"chat_template.jinja", "a{{ bos_token }}{{ eos_token }}"},
      {"additional_chat_templates/tool_use.jinja", "b{{ bos_token }}"}};
  model_files::in_memory bytes;
  for (const auto& [name, text] : texts) {
    write(folder / name, text);
    bytes.emplace(name, std::as_bytes(std::span(text)));
  }
  for (const model_files& files : {model_files(folder), model_files(folder, bytes)}) {
    const chat_source said = chat_source_of(files, {.bos_token = "<x>", .eos_token = "</x>"});
    CHECK(said.ends == std::vector<token_id>{2, 7});
    const auto form = chat_template_in(files, said.tokens);
    REQUIRE(form);
    CHECK(form->prompt({}) == "a<s></x>");
    CHECK(form->prompt({}, {.tools = "[1]"}) == "b<s>");
    CHECK(form->ends() == std::vector<std::string>{"</x>"});
  }
  const auto ends = [&](const std::string& text) {
    write(folder / "generation_config.json", text);
    return chat_source_of(model_files(folder)).ends;
  };
  CHECK(ends(R"({"eos_token_id": 5})") == std::vector<token_id>{5});
  CHECK(ends(R"({"eos_token_id": null})").empty());
  CHECK(ends("{}").empty());
  const std::string name = (folder / "generation_config.json").string();
  CHECK(refusal([&] {
          ends(R"({"eos_token_id": "</s>"})");
        }).starts_with(name + ": eos_token_id: expected a whole number from "));
  CHECK(refusal([&] { ends("{"); }).starts_with(name + ": not valid JSON: "));
  remove_all(folder);
  for (const model_files& files : {model_files(folder), model_files(folder, {})}) {
    CHECK(chat_source_of(files, {.eos_token = "e"}).tokens.eos_token == "e");
    CHECK_FALSE(chat_template_in(files, {}));
    CHECK(refusal([&] { files.text("x"); }).starts_with((folder / "x").string() + ": "));
  }
}
