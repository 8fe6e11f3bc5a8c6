#include <ngram/text_units.hpp>

#include <fovea/base/error.hpp>

#include "../weights/temporary_folder.hpp"

#include <catch2/catch.hpp>

using namespace ngram_program;
using fovea::token_ids;
using words = std::vector<std::string>;

TEST_CASE("a line is split at white space, or into characters with single spaces", "[ngram]") {
  CHECK(units_of(" the\tcat  sat\r", unit::word) == words{"the", "cat", "sat"});
  CHECK(units_of(" \xc3\xa9t\xc3\xa9  !\xe2\x80\x83x ", unit::character) ==
        words{"\xc3\xa9", "t", "\xc3\xa9", " ", "!", " ", "x"});
  CHECK(units_of(" \t", unit::word).empty());
  CHECK(units_of("", unit::character).empty());
}

TEST_CASE("words become ids and are spelt again", "[ngram]") {
  const words lines{"a b a", "b c"};
  const text_units all(lines, unit::word, 1);
  CHECK(all.config(3).vocabulary == 6);
  CHECK(all.ids("c a b") == token_ids{5, 3, 4});
  CHECK(all.text(token_ids{0, 5, 3, 2, 1}) == "c a <unk>");

  const text_units frequent(lines, unit::word, 2);
  CHECK(frequent.ids("a c b") == token_ids{3, 2, 4});

  // What stands around lines can't be in them.
  const text_units marked(words{"<s> x <unk> </s>"}, unit::word, 1);
  CHECK(marked.ids("<s> x <unk> </s>") == token_ids{2, 3, 2, 2});

  const text_units characters(lines, unit::character, 1);
  CHECK(characters.text(characters.ids("b  c")) == "b c");
}

TEST_CASE("the lines of a file hold words, or it is named", "[ngram]") {
  const temporary_folder folder;
  CHECK(lines_of(folder.write("text", "one\n\n  \ntwo words\r\nlast")) ==
        words{"one", "two words\r", "last"});
  const auto empty = folder.write("empty", " \n\n");
  CHECK_THROWS_WITH(lines_of(empty), empty.string() + ": expected a text; found no words");
  const auto broken = folder.write("broken", "abc\xff");
  CHECK(message_of<fovea::error>([&] { lines_of(broken); }).starts_with(broken.string() + ": "));
  CHECK_THROWS_AS(lines_of(folder / "absent"), fovea::error);
}
