#include <compiler_sentence.hpp>

#include <catch2/catch.hpp>

namespace {

/// FILE:LINE: SENTENCE, or nothing.
std::string found_in(const std::string& output) {
  const auto found = tool::sentence_in(output, "/home/me/model.hpp");
  return found ? found->file + ":" + std::to_string(found->line) + ": " + found->sentence : "";
}

} // namespace

TEST_CASE("a compiler's output has a sentence and its place", "[compiler_sentence]") {
  // A type of a deep model is written in megabytes.
  for (const std::string& name : {std::string("net"), std::string(3 << 20, 'x')}) {
    CHECK(found_in("a/model.hpp:12:5: error: static assertion failed: gpt.hpp:9: cannot add [F0001]") ==
          "gpt.hpp:9: cannot add [F0001]");
    CHECK(found_in("C:\\a\\model.hpp:12:5: error: static assertion failed due to requirement 'is<" + name +
                   ">': gpt.hpp:9: cannot add [F0001]") == "gpt.hpp:9: cannot add [F0001]");
    const std::string asked =
        "/usr/include/fovea/dsl.hpp:2:5: error: static assertion failed: too deep [F0002]\n";
    CHECK(found_in(asked + "other.hpp:7:1:   required from here\nmodel.hpp:3:1:   required from " + name +
                   "\nmodel.hpp:4:1:   " + name + " required from here\nmodel.hpp:5:   required from here") ==
          "/home/me/model.hpp:4: too deep [F0002]");
    CHECK(found_in(asked + "a/model.hpp:6:2: note: in instantiation of " + name + " requested here") ==
          "/home/me/model.hpp:6: too deep [F0002]");
    CHECK(found_in(asked) == "/home/me/model.hpp:1: too deep [F0002]");
    CHECK(found_in("a.hpp:1:2: error: 'f<" + name + ">' is unavailable: expected 2 [F0003]") ==
          "a.hpp:1: expected 2 [F0003]");
    const std::string constant = "a.hpp:1:2: error: 'f<" + name + ">' is unavailable: no constant [F0286]\n";
    CHECK(found_in(constant) == "a.hpp:1: no constant [F0286]");
    CHECK(found_in(constant + "b.hpp:3:4: note: " + name +
                   "\nb.hpp:8:2: error: the value of 'x' is not usable in " + "a constant expression") ==
          "b.hpp:8: the compiler cannot run this declaration: the value of 'x' is not usable in a constant "
          "expression [F0286]");
    const std::string sentence = "{\"gpt.hpp:10: \"}, part<9>{\"no \\\"" + name + "\\\"\"}> [F0004]'";
    const bool is_joined = found_in("a.hpp:1:2: error: invalid use of 'fovea::ill_formed<part<4>" +
                                    sentence) == "gpt.hpp:10: no \"" + name + "\"";
    CHECK(is_joined); // says nothing of megabytes
  }
}

TEST_CASE("a compiler's other errors have no sentence of ours", "[compiler_sentence]") {
  CHECK(found_in("").empty());
  CHECK(found_in("model.hpp:1:2: error: expected ';'").empty());
  CHECK(found_in("model.hpp:1:2: error: static assertion failed: mine").empty()); // the user's own
  CHECK(found_in("model.hpp:1:2: error: static assertion failed").empty());
  CHECK(found_in("model.hpp:99999999999:2: error: static assertion failed: a.hpp:1: b").empty());
  CHECK(found_in("collect2: error: ld returned 1 exit status").empty());
  CHECK(tool::first_error("a\nb: error: c\nd") == "b: error: c");
  CHECK(tool::first_error("a\nb") == "a");
}

TEST_CASE("a sentence has its number and place", "[compiler_sentence]") {
  CHECK(tool::number_of("cannot add [F0031]") == "F0031");
  for (const char* none : {"", "[F0031]!", "[F031]", "(F0031]", "[F00a1]"})
    CHECK(tool::number_of(none).empty());
  const auto made = tool::placed_sentence("gpt.cpp:10: cannot\nadd");
  REQUIRE(made);
  CHECK((made->file == "gpt.cpp" && made->line == 10 && made->sentence == "cannot\nadd"));
  for (const char* none :
       {"cannot add", "a b.cpp:10: c", "gpt.cpp:x: c", "gpt.cpp:-1: c", ":1: c", "gpt.cpp:10:c"})
    CHECK_FALSE(tool::placed_sentence(none).has_value());
}
