#include <fovea/runtime/tokenizers/decoder.hpp>
#include <fovea/runtime/tokenizers/normalizer.hpp>
#include <fovea/runtime/tokenizers/splitter.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;

namespace {

using list = std::vector<std::string>;

std::string after(normalizer_step step, std::string_view text) { return normalized({std::move(step)}, text); }

list words(const splitter& how, std::string_view text, bool front = true) {
  list found;
  const auto word = [&](std::string_view w) { found.emplace_back(w); };
  std::visit(for_each_word{text, front, word}, how);
  return found;
}

std::string decoded(const decoder& how, const list& tokens) {
  std::string bytes;
  bool first = true;
  for (const std::string& token : tokens)
    if (append_decoded(how, token, first, bytes)) first = false;
  return bytes;
}

} // namespace

TEST_CASE("each step of a normaliser", "[normalizer]") {
  CHECK(after(unicode_form::nfc, "e\u0301") == "\u00e9");
  CHECK(after(unicode_form::nfd, "\u00e9") == "e\u0301");
  CHECK(after(unicode_form::nfkc, "\ufb01\uff21\u3000x") == "fiA x");
  CHECK(after(unicode_form::nfkd, "\u00bd\u00e9") == "1\u20442e\u0301");
  CHECK(after(lower_case(), "\u00c9A\u03a3\u0130") == "\u00e9a\u03c3i\u0307");
  CHECK(after(strip_accents(), "e\u0301\u0903x") == "ex");
  CHECK(after(strip_accents(), "\u00e9") == "\u00e9"); // only after decomposition
  CHECK(after(strip_space{true, true}, " \u3000a b\n ") == "a b");
  CHECK(after(strip_space{true, false}, " a ") == "a ");
  CHECK(after(strip_space{false, true}, " a ") == " a");
  CHECK(after(strip_space{false, false}, " a ") == " a ");
  for (const bool left : {false, true}) CHECK(after(strip_space{left, !left}, " \t ") == "");
  CHECK(after(prepend{"_"}, "a") == "_a");
  CHECK(after(prepend{"_"}, "") == "");
  CHECK(after(replace_text{"aa", "b"}, "aaaca") == "baca");
  CHECK(after(replace_text{"a", ""}, "aaa") == "");
  CHECK(after(replace_space_runs{"_"}, "a b  c   ") == "a b_c_");
  CHECK(after(replace_space_runs{"_"}, " a") == " a");
  CHECK(after(replace_space_runs{"_"}, "") == "");
  CHECK(normalized({prepend{" "}, replace_text{" ", "\u2581"}}, "a b") == "\u2581a\u2581b");
  for (const auto form : {unicode_form::nfc, unicode_form::nfd, unicode_form::nfkc, unicode_form::nfkd})
    CHECK(after(form, "") == "");
}

TEST_CASE("words between white space, and no words at all", "[splitter]") {
  CHECK(words(white_space_splitter(), " a\u3000bc\n,d ") == list{"a", "bc", ",d"});
  CHECK(words(white_space_splitter(), " \t").empty());
  CHECK(words(whole_splitter(), " a b") == list{" a b"});
  CHECK(words(whole_splitter(), "").empty());
}

TEST_CASE("a mark for each space begins a word", "[splitter]") {
  using enum meta_space_splitter::prefix;
  const auto how = [](meta_space_splitter::prefix front, bool split = true) {
    return meta_space_splitter{"_", front, split};
  };
  CHECK(words(how(always), "a  bc") == list{"_a", "_", "_bc"});
  CHECK(words(how(always), " a") == list{"_a"}); // has one already
  CHECK(words(how(always), " ") == list{"_"});
  CHECK(words(how(always), "").empty());
  CHECK(words(how(never), "a b_c") == list{"a", "_b", "_c"});
  CHECK(words(how(first), "a b") == list{"_a", "_b"});
  CHECK(words(how(first), "a b", false) == list{"a", "_b"});
  CHECK(words(how(always, false), "a b") == list{"_a_b"});
}

TEST_CASE("SentencePiece's marks become spaces", "[decoder]") {
  using enum meta_space_decoder::leading;
  const auto how = [](meta_space_decoder::leading front) {
    return meta_space_decoder{.mark = "_", .front = front};
  };
  CHECK(decoded(how(kept), {"_", "_a", "b_c"}) == "  ab c");
  CHECK(decoded(how(one), {"__a", "_b"}) == " a b");
  CHECK(decoded(how(one), {"_", "_b"}) == " b");
  CHECK(decoded(how(run), {"__a", "_b"}) == "a b");
  CHECK(decoded(how(run), {"_", "_b"}) == " b");
  CHECK(decoded(how(one_each), {"_", "_", "_a", "_b"}) == "a b");
  CHECK(decoded(how(one_each), {"a", "_b"}) == "a b");
}

TEST_CASE("tokens of single bytes", "[decoder]") {
  CHECK(fallback_token(0) == "<0x00>");
  CHECK(fallback_token(0xaf) == "<0xAF>");
  const meta_space_decoder bytes{.byte_fallback = true}, none{};
  CHECK(decoded(bytes, {"<0xE2>", "<0x82>", "<0xAC>", "<0xG0>", "<0x4>", "<0x0041>"}) ==
        "\u20ac<0xG0><0x4><0x0041>");
  CHECK(decoded(none, {"<0x41>"}) == "<0x41>");
  CHECK(decoded(meta_space_decoder{.unknown = "<unk>", .unknown_text = "?"}, {"a", "<unk>"}) == "a?");
}
