// Batches of texts and lines: functions of seed and number alone.

#include "../../weights/temporary_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/training/length_buckets.hpp>
#include <fovea/runtime/training/shuffle.hpp>
#include <fovea/runtime/training/window_batches.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

using namespace fovea;
using namespace fovea::core;

namespace {

token_ids counted(std::size_t count) {
  token_ids ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<token_id>(i);
  return ids;
}

} // namespace

TEST_CASE("a text of tokens is held or mapped", "[training]") {
  const temporary_folder folder;
  const token_ids ids{5, 0, 65535, 256, 7};
  save_tokens(folder / "text.bin", ids);
  for (const token_text& text : {token_text(ids), token_text::mapped(folder / "text.bin")}) {
    REQUIRE(text.size() == 5);
    std::vector<std::int32_t> found(3);
    text.copy(1, found, 65536);
    CHECK(found == std::vector<std::int32_t>{0, 65535, 256});
    const token_text end = text.part(3, 9);
    REQUIRE(end.size() == 2);
    end.copy(0, std::span(found).first(2), 257);
    CHECK(found[0] == 256);
    CHECK(found[1] == 7);
    CHECK(text.part(4, 2).size() == 0);
    CHECK_THROWS_WITH(text.copy(1, found, 300),
                      Catch::Contains("token 2 is 65535, outside the vocabulary of 300"));
    CHECK_THROWS_WITH(end.copy(1, std::span(found).first(2), 300),
                      Catch::Contains("expected tokens up to 3, found 2"));
  }
  CHECK_THROWS_WITH(token_text::mapped(folder.write("odd.bin", "abc")),
                    Catch::Contains("odd.bin: expected 16-bit tokens, found an odd number of bytes, 3"));
  CHECK_THROWS_WITH(token_text::mapped(folder / "none.bin"), Catch::Contains("none.bin"));
  CHECK_THROWS_WITH(save_tokens(folder / "wide.bin", token_ids{65536}),
                    Catch::Contains("expected tokens from 0 to 65535, found 65536"));
  CHECK_THROWS_WITH(save_tokens(folder / "negative.bin", token_ids{-1}), Catch::Contains("found -1"));
}

TEST_CASE("windows of a text are drawn by seed and number", "[training]") {
  const window_options options{.rows = 3, .length = 4, .vocabulary = 30, .seed = 7};
  const window_batches batches(token_text(counted(30)), options), again(token_text(counted(30)), options);
  std::set<int> begins;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const token_batch batch = batches.drawn(i);
    REQUIRE(batch.tokens.shape()[0] == 3);
    for (std::size_t row = 0; row < 3; ++row) {
      begins.insert(batch.tokens(row, 0));
      for (std::size_t t = 0; t < 4; ++t) {
        REQUIRE(batch.tokens(row, t) == batch.tokens(row, 0) + static_cast<int>(t));
        REQUIRE(batch.targets(row, t) == batch.tokens(row, t) + 1);
      }
    }
  }
  // Every window that has a token after it, and no other.
  CHECK(begins.size() == 26);
  CHECK(*begins.rbegin() == 25);
  CHECK((again.drawn(299).tokens == batches.drawn(299).tokens));
  CHECK((again.drawn(298).tokens != batches.drawn(299).tokens));
  window_options other = options;
  other.seed = 8;
  CHECK((window_batches(token_text(counted(30)), other).drawn(5).tokens != batches.drawn(5).tokens));
}

TEST_CASE("windows behind one another cover a text once", "[training]") {
  const window_batches batches(token_text(counted(31)), {.rows = 3, .length = 4, .vocabulary = 31});
  REQUIRE(batches.count() == 3);
  int next = 0;
  for (std::size_t i = 0; i < batches.count(); ++i) {
    const token_batch batch = batches.following(i);
    CHECK(batch.tokens.shape()[0] == (i < 2 ? 3u : 1u));
    for (std::size_t k = 0; k < batch.tokens.size(); ++k) {
      REQUIRE(batch.tokens.data()[k] == next++);
      REQUIRE(batch.targets.data()[k] == next);
    }
  }
  CHECK(next == 28);
  CHECK_THROWS_WITH(window_batches(token_text(counted(4)), {.length = 4, .vocabulary = 9}),
                    "expected a text of more than 4 tokens, the length of a window; found 4");
  CHECK(window_batches(token_text(counted(5)), {.length = 4, .vocabulary = 9}).count() == 1);
}

TEST_CASE("texts side by side go on from batch to batch", "[training]") {
  // 33 tokens have 32 that follow one: 3 rows of 10, read by 4, 4 and 2, and 2 left over.
  const window_batches batches(token_text(counted(33)), {.rows = 3, .length = 4, .vocabulary = 33});
  REQUIRE(batches.side_by_side_count() == 3);
  for (std::size_t row = 0; row < 3; ++row) {
    int next = static_cast<int>(row) * 10;
    for (std::size_t i = 0; i < 3; ++i) {
      const token_batch batch = batches.side_by_side(i);
      REQUIRE(batch.tokens.shape()[0] == 3);
      REQUIRE(batch.tokens.shape()[1] == (i < 2 ? 4u : 2u));
      for (std::size_t t = 0; t < batch.tokens.shape()[1]; ++t) {
        REQUIRE(batch.tokens(row, t) == next++);
        REQUIRE(batch.targets(row, t) == next);
      }
    }
  }
  CHECK(window_batches(token_text(counted(9)), {.rows = 2, .length = 4, .vocabulary = 9})
            .side_by_side_count() == 1);
}

TEST_CASE("batches of nothing, and texts without a token for each row, are refused", "[training]") {
  const auto windows = [](std::size_t rows, std::size_t length) {
    return message_of<error>(
        [&] { window_batches(token_text(counted(9)), {.rows = rows, .length = length}); });
  };
  const std::string expected =
      "expected batches of at least one row, and windows of at least one token; found ";
  CHECK(windows(0, 4) == expected + "0 and 4");
  CHECK(windows(2, 0) == expected + "2 and 0");
  CHECK(windows(8, 4).empty());
  const window_batches few(token_text(counted(9)), {.rows = 9, .length = 4, .vocabulary = 9});
  const std::string short_text = "expected a text of more than 9 tokens, to be read as so many rows; found 9";
  CHECK(message_of<error>([&] { few.side_by_side_count(); }) == short_text);
  CHECK(message_of<error>([&] { few.side_by_side(0); }) == short_text);
  for (const bucket_options& none : {bucket_options{.rows = 0}, bucket_options{.bucket = 0}})
    CHECK_THROWS_AS(length_buckets({1, 2}, none), error);
}

TEST_CASE("shuffled is an order of all, its own for each seed and round", "[training]") {
  std::vector<std::size_t> order = shuffled(50, 3);
  CHECK(order == shuffled(50, 3));
  CHECK(order != shuffled(50, 4));
  CHECK(order != shuffled(50, 3, 1));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == i);
  CHECK(shuffled(0, 1).empty());
  // Each of six orders comes about as often as the others: 4 standard deviations of 1000 of 6000.
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint64_t round = 0; round < 6000; ++round) ++seen[shuffled(3, 1, round)];
  CHECK(seen.size() == 6);
  for (const auto& [which, count] : seen) CHECK(std::abs(count - 1000) < 120);
}

TEST_CASE("buckets have every example once an epoch, with others of nearly its length", "[training]") {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 1003; ++i) lengths.push_back(1 + i * 37 % 90);
  length_buckets buckets(lengths, {.rows = 8, .seed = 5, .bucket = 20});
  REQUIRE(buckets.count() == 126);
  std::vector<std::vector<std::size_t>> batches;
  std::size_t cells = 0, tokens = 0;
  for (std::uint64_t i = 0; i < 2 * buckets.count(); ++i) {
    const auto batch = buckets.batch(i);
    batches.emplace_back(batch.begin(), batch.end());
    std::size_t longest = 0;
    for (const std::size_t example : batch)
      longest = std::max(longest, lengths[example]), tokens += lengths[example];
    cells += longest * batch.size();
  }
  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    std::set<std::size_t> seen;
    std::size_t count = 0;
    for (std::size_t i = 0; i < buckets.count(); ++i) {
      const auto& batch = batches[epoch * buckets.count() + i];
      seen.insert(batch.begin(), batch.end());
      count += batch.size();
    }
    CHECK(count == 1003);
    CHECK(seen.size() == 1003);
  }
  CHECK(static_cast<double>(cells) < 1.1 * static_cast<double>(tokens));
  CHECK(batches[0] != batches[buckets.count()]);
  // Whoever begins in the midst of an epoch, or goes back, has the same.
  length_buckets resumed(lengths, {.rows = 8, .seed = 5, .bucket = 20});
  for (const std::size_t i : {200u, 125u, 126u, 3u}) {
    const auto batch = resumed.batch(i);
    CHECK(std::vector<std::size_t>(batch.begin(), batch.end()) == batches[i]);
  }
  CHECK_THROWS_WITH(length_buckets({}, {}), "expected examples to learn from; found none");
}

TEST_CASE("lines are padded to the longest of their batch", "[training]") {
  const std::vector<token_ids> lines{{4, 5, 6}, {}, {7}, {8, 9}};
  const std::vector<std::size_t> which{2, 3};
  const padded_lines batch = padded(lines, which, 1);
  CHECK((batch.tokens == xt::xtensor<std::int32_t, 2>{{7, 1}, {8, 9}}));
  CHECK((batch.lengths == xt::xtensor<std::int32_t, 1>{1, 2}));
  const std::vector<std::size_t> none{1};
  CHECK((padded(lines, none).tokens == xt::xtensor<std::int32_t, 2>{{0}}));
}
