#include <fovea/runtime/tokenizers/byte_pair.hpp>

#include <fovea/runtime/error.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

using namespace fovea;

namespace {

using merge_list = std::vector<std::pair<std::string, std::string>>;

vocabulary tokens_for(const std::string& letters, const merge_list& merges) {
  vocabulary tokens;
  std::int64_t next = 0;
  for (const char letter : letters) tokens.add({&letter, 1}, next++);
  for (const auto& [left, right] : merges)
    if (!tokens.id(left + right)) tokens.add(left + right, next++);
  return tokens;
}

/// The definition: again and again the pair of the earliest merge, leftmost first.
std::vector<std::string> merged(const std::string& word, const merge_list& merges) {
  std::vector<std::string> parts;
  for (const char c : word) parts.emplace_back(1, c);
  for (;;) {
    std::size_t best = merges.size(), place = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = std::ranges::find(merges, std::pair(parts[i], parts[i + 1]));
      const auto rank = static_cast<std::size_t>(found - merges.begin());
      if (rank < best) {
        best = rank;
        place = i;
      }
    }
    if (best == merges.size()) return parts;
    parts[place] += parts[place + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

std::vector<std::string> spelt(const vocabulary& tokens, const std::vector<token_id>& ids) {
  std::vector<std::string> result;
  for (const token_id id : ids) result.emplace_back(tokens.token(id));
  return result;
}

} // namespace

TEST_CASE("merging follows its definition for words of every length", "[byte_pair]") {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    merge_list merges;
    std::vector<std::string> parts{"a", "b", "c"};
    while (merges.size() < 30) {
      const std::pair pair(parts[random() % parts.size()], parts[random() % parts.size()]);
      if (std::ranges::find(merges, pair) != merges.end()) continue;
      merges.push_back(pair);
      if (std::ranges::find(parts, pair.first + pair.second) == parts.end())
        parts.push_back(pair.first + pair.second);
    }
    const vocabulary tokens = tokens_for("abc", merges);
    const byte_pair model(tokens, merges, {});
    for (std::size_t length = 0; length < 70; ++length) {
      std::string word;
      for (std::size_t i = 0; i < length; ++i) word += "abc"[random() % 3];
      INFO(word);
      std::vector<token_id> ids{99};
      model.append(word, ids);
      REQUIRE(ids.front() == 99);
      ids.erase(ids.begin());
      CHECK(spelt(tokens, ids) == merged(word, merges));
    }
  }
}

TEST_CASE("a byte that is no token is dropped or unknown", "[byte_pair]") {
  const merge_list merges{{"a", "b"}};
  const vocabulary tokens = tokens_for("abu", merges);
  const auto ids = [&](byte_pair::settings settings) {
    std::vector<token_id> result;
    byte_pair(tokens, merges, settings).append("axxb", result);
    return spelt(tokens, result);
  };
  CHECK(ids({}) == std::vector<std::string>{"ab"});
  CHECK(ids({.unknown = 2}) == std::vector<std::string>{"a", "u", "u", "b"});
  CHECK(ids({.unknown = 2, .fuse_unknown = true}) == std::vector<std::string>{"a", "u", "b"});
}

TEST_CASE("a whole word that is a token may go before the merges", "[byte_pair]") {
  const merge_list merges{{"b", "c"}};
  vocabulary tokens = tokens_for("abc", merges);
  tokens.add("abc", 50);
  std::vector<token_id> merged_ids, whole;
  byte_pair(tokens, merges, {}).append("abc", merged_ids);
  byte_pair(tokens, merges, {.ignore_merges = true}).append("abc", whole);
  CHECK(spelt(tokens, merged_ids) == std::vector<std::string>{"a", "bc"});
  CHECK(whole == std::vector<token_id>{50});
}

TEST_CASE("merges that don't fit the vocabulary are named", "[byte_pair]") {
  const vocabulary tokens = tokens_for("ab", {{"a", "b"}});
  CHECK_THROWS_WITH(byte_pair(tokens, {{"a", "b"}, {"b", "a"}}, {}),
                    "merge 1, 'b' and 'a': expected a token 'ba' in the vocabulary");
  CHECK_THROWS_WITH(byte_pair(tokens, {{"a", "b"}, {"a", "b"}}, {}), "merge 1, 'a' and 'b', is merge 0 too");
}
