#include <fovea/base/wildcards.hpp>

#include <catch2/catch.hpp>

#include <string>

using fovea::core::fits;

TEST_CASE("a star stands for any text") {
  CHECK(fits("h.*.weight", "h.0.mlp.weight"));
  CHECK_FALSE(fits("h.*.weight", "h.0.mlp.bias"));
  CHECK(fits("*.bias", "a.bias.bias"));
  CHECK(fits("*", ""));
  CHECK_FALSE(fits("a*a", "a")); // one character can't be both
  CHECK(fits("layer[0]?", "layer[0]?"));
}

TEST_CASE("a pattern fits a text where one of all its divisions does") {
  // Every pattern and text of up to five characters, by what a star means, written as a recursion.
  const auto slow = [](const auto& self, std::string_view pattern, std::string_view text) -> bool {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*')
      return self(self, pattern.substr(1), text) || (!text.empty() && self(self, pattern, text.substr(1)));
    return !text.empty() && pattern[0] == text[0] && self(self, pattern.substr(1), text.substr(1));
  };
  const auto each = [](std::string_view of, auto&& f) {
    const auto longer = [&](const auto& self, const std::string& begun) -> void {
      f(begun);
      if (begun.size() < 5)
        for (const char c : of) self(self, begun + c);
    };
    longer(longer, "");
  };
  std::size_t wrong = 0;
  each("ab*", [&](const std::string& pattern) {
    each("ab", [&](const std::string& text) { wrong += fits(pattern, text) != slow(slow, pattern, text); });
  });
  CHECK(wrong == 0);
}
