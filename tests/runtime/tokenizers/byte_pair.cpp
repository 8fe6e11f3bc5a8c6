#include <fovea/runtime/tokenizers/byte_pair.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace fovea;
using namespace fovea::core;

namespace {

using merge_list = std::vector<std::pair<std::string, std::string>>;

token_vocabulary tokens_for(const std::string& letters, const merge_list& merges) {
  token_vocabulary tokens;
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

std::vector<std::string> all_spelt(const token_vocabulary& tokens, const std::vector<token_id>& ids) {
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
    const token_vocabulary tokens = tokens_for("abc", merges);
    const byte_pair model(tokens, merges, {});
    for (std::size_t length = 0; length < 70; ++length) {
      std::string word;
      for (std::size_t i = 0; i < length; ++i) word += "abc"[random() % 3];
      INFO(word);
      std::vector<token_id> ids{99};
      model.append(word, ids);
      REQUIRE(ids.front() == 99);
      ids.erase(ids.begin());
      CHECK(all_spelt(tokens, ids) == merged(word, merges));
    }
  }
}

TEST_CASE("a byte that is no token is dropped or unknown", "[byte_pair]") {
  const merge_list merges{{"a", "b"}};
  const token_vocabulary tokens = tokens_for("abu", merges);
  const auto ids = [&](byte_pair::settings settings) {
    std::vector<token_id> result;
    byte_pair(tokens, merges, settings).append("axxb", result);
    return all_spelt(tokens, result);
  };
  CHECK(ids({}) == std::vector<std::string>{"ab"});
  CHECK(ids({.unknown = 2}) == std::vector<std::string>{"a", "u", "u", "b"});
  CHECK(ids({.unknown = 2, .fuse_unknown = true}) == std::vector<std::string>{"a", "u", "b"});
}

TEST_CASE("a whole word that is a token may go before the merges", "[byte_pair]") {
  const merge_list merges{{"b", "c"}};
  token_vocabulary tokens = tokens_for("abc", merges);
  tokens.add("abc", 50);
  std::vector<token_id> merged_ids, whole;
  byte_pair(tokens, merges, {}).append("abc", merged_ids);
  byte_pair(tokens, merges, {.ignore_merges = true}).append("abc", whole);
  CHECK(all_spelt(tokens, merged_ids) == std::vector<std::string>{"a", "bc"});
  CHECK(whole == std::vector<token_id>{50});
}

TEST_CASE("merges that don't fit the vocabulary are named", "[byte_pair]") {
  const token_vocabulary tokens = tokens_for("ab", {{"a", "b"}});
  CHECK_THROWS_WITH(byte_pair(tokens, {{"a", "b"}, {"b", "a"}}, {}),
                    "merge 1, 'b' and 'a': expected a token 'ba' in the vocabulary");
  CHECK_THROWS_WITH(byte_pair(tokens, {{"a", "b"}, {"a", "b"}}, {}), "merge 1, 'a' and 'b', is merge 0 too");
}

TEST_CASE("merging over characters, with byte fallback and without", "[byte_pair]") {
  token_vocabulary tokens;
  std::int64_t next = 0;
  for (const char* token : {"<unk>", "a", "\u00e9", "a\u00e9", "<0xC3>", "<0xA8>"}) tokens.add(token, next++);
  const merge_list merges{{"a", "\u00e9"}};
  using unit = byte_pair::settings::unit;
  const auto ids = [&](byte_pair::settings settings, const char* word) {
    settings.over = unit::character;
    std::vector<token_id> result;
    byte_pair(tokens, merges, settings).append(word, result);
    return result;
  };
  using id_list = std::vector<token_id>;
  CHECK(ids({}, "a\u00e9\u00e9x") == id_list{3, 2});
  CHECK(ids({.unknown = 0}, "xya\u00e8") == id_list{0, 0, 1, 0});
  CHECK(ids({.unknown = 0, .fuse_unknown = true}, "xya\u00e8") == id_list{0, 1, 0});
  // U+00E8 has both bytes, "x" has not.
  CHECK(ids({.unknown = 0, .byte_fallback = true}, "a\u00e8x\u00e9") == id_list{1, 4, 5, 0, 2});
  CHECK(ids({.ignore_merges = true}, "a\u00e9") == id_list{3});
}

TEST_CASE("merging by scores joins any two tokens, the highest first, equal ones from the left",
          "[byte_pair]") {
  std::mt19937 random(9);
  for (int round = 0; round < 30; ++round) {
    token_vocabulary tokens;
    std::vector<std::string> spelt{"a", "b", "c"};
    while (spelt.size() < 25) {
      std::string token;
      for (auto length = 2 + random() % 4; length > 0; --length) token += "abc"[random() % 3];
      if (std::ranges::find(spelt, token) == spelt.end()) spelt.push_back(token);
    }
    std::vector<float> scores;
    for (std::size_t id = 0; id < spelt.size(); ++id) {
      tokens.add(spelt[id], static_cast<std::int64_t>(id));
      scores.push_back(id < 4 ? std::nanf("")
                              : -static_cast<float>(random() % 10)); // token 3 is never joined to
    }
    const byte_pair model(tokens, scores, {.over = byte_pair::settings::unit::character});
    for (std::size_t length = 0; length < 50; ++length) {
      std::string word;
      for (std::size_t i = 0; i < length; ++i) word += "abc"[random() % 3];
      // The definition.
      std::vector<std::string> parts;
      for (const char c : word) parts.emplace_back(1, c);
      for (;;) {
        float highest = -1e9f;
        std::size_t place = parts.size();
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
          if (const auto id = tokens.id(parts[i] + parts[i + 1]); id && *id > 3)
            if (const float score = scores[static_cast<std::size_t>(*id)]; score > highest) {
              highest = score;
              place = i;
            }
        if (place == parts.size()) break;
        parts[place] += parts[place + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
      }
      std::vector<token_id> ids;
      model.append(word, ids);
      INFO(word);
      CHECK(all_spelt(tokens, ids) == parts);
    }
  }
}
