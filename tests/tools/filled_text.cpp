#include <filled_text.hpp>

#include <failure.hpp>

#include <catch2/catch.hpp>

using tool::filled;

TEST_CASE("places and lines of a text are filled", "[filled_text]") {
  const tool::text_values values{{"name", "net"}, {"yes", "x"}, {"no", ""}};
  CHECK(filled("a ${name}${name} $b\n", values) == "a netnet $b\n");
  CHECK(filled("$${name} ${no}|", values) == "${name} |");
  CHECK(filled("##if yes\na\n##else\nb\n##end\nc\n", values) == "a\nc\n");
  CHECK(filled("##if no\na\n##else\nb\n##end\n", values) == "b\n");
  CHECK(filled("##if !no\na\n##if no\n${none}\n##end\n##end", values) == "a\n");
  CHECK(filled("", values).empty());
}

TEST_CASE("a text that cannot be filled says where", "[filled_text]") {
  const auto refusal = [](const char* text) {
    try {
      filled(text, {{"no", ""}});
    } catch (const tool::failure& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  const std::string line = "a text of this program, line ";
  CHECK(refusal("a\n${none}") == line + "2: nothing is called none");
  CHECK(refusal("${none") == line + "1: ${ without }");
  CHECK(refusal("##if no\n") == line + "1: ##if without ##end");
  CHECK(refusal("a\n##end\n") == line + "2: ##end without ##if");
}
