#include "../../weights/temporary_folder.hpp"
#include "lines.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/safetensors.hpp>

#include <catch2/catch.hpp>

#include <cstring>
#include <functional>
#include <map>
#include <set>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

using gram = std::vector<token_id>;

/// The counts one by one, and which tokens stood before each gram.
struct plain_counts {
  std::map<gram, std::uint64_t> counts;
  std::map<gram, std::set<token_id>> preceding;

  plain_counts(const ngram_config& c, const std::vector<gram>& lines) {
    for (const gram& line : lines) {
      gram padded(static_cast<std::size_t>(c.order) - 1, c.start);
      padded.insert(padded.end(), line.begin(), line.end());
      padded.push_back(c.end);
      for (auto last = padded.begin() + c.order; last <= padded.end(); ++last)
        for (std::ptrdiff_t n = 1; n <= c.order; ++n) {
          ++counts[gram(last - n, last)];
          if (n < c.order) preceding[gram(last - n, last)].insert(*(last - n - 1));
        }
    }
  }
};

void check_equal(const ngram_counts& found, const plain_counts& expected) {
  const int order = found.config().order;
  std::vector<std::size_t> distinct(static_cast<std::size_t>(order) + 1);
  for (const auto& [tokens, count] : expected.counts) {
    ++distinct[tokens.size()];
    if (found.count(tokens) != count) FAIL_CHECK("a gram of " << tokens.size() << " tokens");
  }
  for (int n = 1; n <= order; ++n) CHECK(found.distinct(n) == distinct[static_cast<std::size_t>(n)]);

  for (int length = 0; length < order; ++length) {
    std::size_t followed = 0;
    found.for_each_context(
        length, [&](std::span<const token_id> context, std::size_t index, const ngram_followers& next) {
          CHECK(found.find_context(context) == index);
          std::uint64_t total = 0, preceding = 0;
          for (std::size_t i = 0; i < next.tokens.size(); ++i) {
            if (next.counts[i] == 0) continue;
            ++followed;
            gram whole(context.begin(), context.end());
            whole.push_back(next.tokens[i]);
            CHECK(next.counts[i] == expected.counts.at(whole));
            total += next.counts[i];
            if (length + 1 == order) continue;
            CHECK(next.preceding[i] == expected.preceding.at(whole).size());
            preceding += next.preceding[i];
          }
          CHECK(next.total == total);
          CHECK(next.total_preceding == preceding);
        });
    CHECK(followed == distinct[static_cast<std::size_t>(length) + 1]);
  }
}

/// The file of some counts after one of its tensors was changed.
std::filesystem::path changed(const temporary_folder& folder, const ngram_counts& counts,
                              const std::string& tensor,
                              const std::function<void(std::vector<std::int32_t>&)>& change) {
  counts.save(folder / "counts");
  const safetensors_file file(folder / "counts");
  auto tensors = file.tensors();
  std::vector<std::int32_t> values(tensors.at(tensor).shape[0]);
  std::memcpy(values.data(), tensors.at(tensor).bytes.data(), tensors.at(tensor).bytes.size());
  change(values);
  tensors.at(tensor) = {element_type::i32, {values.size()}, std::as_bytes(std::span(values))};
  save_safetensors(folder / "changed", tensors, file.metadata());
  return folder / "changed";
}

} // namespace

TEST_CASE("counts agree with counting one by one", "[ngram]") {
  std::uint64_t seed = 0;
  for (const int order : {1, 2, 3, 5})
    for (const token_id vocabulary : {3, 6, 40})
      for (const std::size_t lines : std::vector<std::size_t>{0, 1, 7, 60}) {
        INFO("order " << order << ", vocabulary " << vocabulary << ", " << lines << " lines");
        const ngram_config config{.order = order, .vocabulary = vocabulary};
        const auto text = some_lines(++seed, lines, vocabulary);
        check_equal(counts_of(config, text), plain_counts(config, text));
      }
}

TEST_CASE("what was never seen counts 0, and start and end may be any ids", "[ngram]") {
  const ngram_config config{.order = 3, .vocabulary = 9, .start = 8, .end = 4};
  const std::vector<gram> lines{{0, 1, 2}, {0, 1, 3}, {}};
  const ngram_counts counts = counts_of(config, lines);
  check_equal(counts, plain_counts(config, lines));
  CHECK(counts.count(gram{8, 8, 0}) == 2);
  CHECK(counts.count(gram{8, 8, 4}) == 1);
  CHECK(counts.count(gram{8}) == 0);
  CHECK(counts.count(gram{1, 0}) == 0);
  CHECK(counts.count(gram{7}) == 0);
  CHECK(counts.count(gram{0, 1, 99}) == 0);
  CHECK(!counts.find_context(gram{2, 4}));
  CHECK_THROWS_WITH(counts.count(gram{}), "n-gram counts: a gram holds at least one token");
  CHECK_THROWS_WITH(counts.count(gram{0, 0, 0, 0}),
                    "n-gram counts: expected a context of 0 to 2 tokens; found 3");
}

TEST_CASE("a gram of full order takes 8 bytes, a shorter one 20 or 24", "[ngram]") {
  const ngram_counts counts = counts_of({.order = 3, .vocabulary = 300}, some_lines(1, 3000, 300));
  const std::size_t grams = 8 * counts.distinct(3) + 20 * counts.distinct(2) + 24 * counts.distinct(1);
  CHECK(counts.stored_bytes() >= grams);
  CHECK(counts.stored_bytes() <= grams + 200); // the contexts of <s>, and where the levels end
}

TEST_CASE("lines that can't be counted are named", "[ngram]") {
  ngram_counter counter({.order = 2, .vocabulary = 5});
  CHECK_THROWS_WITH(counter.add(gram{2, 5}), "n-gram counts: expected ids of 0 to 4; found 5");
  CHECK_THROWS_WITH(counter.add(gram{-1}), "n-gram counts: expected ids of 0 to 4; found -1");
  CHECK_THROWS_WITH(counter.add(gram{2, 0, 3}),
                    "n-gram counts: a line holds id 0, which stands around lines only");
  CHECK_THROWS_WITH(ngram_counter({.order = 0, .vocabulary = 5}),
                    "n-gram counts: expected an order of 1 to 16; found 0");
  CHECK_THROWS_WITH(ngram_counter({.order = 2, .vocabulary = 5, .end = 5}),
                    "n-gram counts: expected a start and an end of 0 to 4; found 5");
  CHECK_THROWS_WITH(ngram_counter({.order = 2, .vocabulary = 5, .start = 1}),
                    "n-gram counts: start and end are the same id, 1");
  counter.add(gram{2, 3});
  CHECK(counter.counts().count(gram{2, 3}) == 1);
}

TEST_CASE("saved counts are loaded unchanged", "[ngram]") {
  const temporary_folder folder;
  for (const int order : {1, 2, 4}) {
    const ngram_config config{.order = order, .vocabulary = 30};
    const auto text = some_lines(7, 50, 30);
    counts_of(config, text).save(folder / "counts");
    const ngram_counts loaded = load_ngram_counts(folder / "counts");
    check_equal(loaded, plain_counts(config, text));
    CHECK(loaded.config().order == order);
    CHECK(loaded.config().end == 1);
  }
  counts_of({.vocabulary = 2}, {}).save(folder / "empty");
  CHECK(load_ngram_counts(folder / "empty").distinct(1) == 0);
}

TEST_CASE("files that hold no counts are refused", "[ngram]") {
  const temporary_folder folder;
  for_each_irregular(folder, [](const std::filesystem::path& path, const std::string& what) {
    CHECK(message_of<error>([&] { load_ngram_counts(path); }) == path.string() + what);
  });
  const ngram_counts counts = counts_of({.order = 3, .vocabulary = 30}, some_lines(7, 50, 30));
  const auto message = [&](const std::string& tensor, auto change) {
    const auto path = changed(folder, counts, tensor, change);
    return message_of<error>([&] { load_ngram_counts(path); });
  };
  const std::string file = (folder / "changed").string();
  CHECK(message("grams.3.counts", [](auto& v) {
          ++v[5];
        }).starts_with(file + ": n-gram counts: a gram of 2 tokens has the count "));
  CHECK(message("grams.2.counts", [](auto& v) { ++v[5]; }).starts_with(file + ": n-gram counts: a gram of "));
  CHECK(message("grams.1.counts", [](auto& v) { v[0] = 7; }) ==
        file + ": n-gram counts: the grams of 0 tokens are followed by a token without a count");
  CHECK(message("grams.3.tokens", [](auto& v) { v[3] = 30; }) ==
        file + ": n-gram counts: the grams of 2 tokens are followed by tokens out of order or outside the "
               "vocabulary");
  CHECK(message("grams.2.tokens", [](auto& v) { std::swap(v[3], v[4]); }) ==
        file + ": n-gram counts: the grams of 1 tokens are followed by tokens out of order or outside the "
               "vocabulary");
  CHECK(message("grams.2.begin", [](auto& v) { v[3] = 1 << 30; }) ==
        file + ": n-gram counts: the grams of 2 tokens begin a wrong number of longer ones");
  CHECK(message("grams.1.begin", [](auto& v) { v.pop_back(); }) ==
        file + ": n-gram counts: the grams of 1 tokens begin a wrong number of longer ones");
  CHECK(message("grams.1.counts", [](auto& v) { v.pop_back(); }) ==
        file + ": n-gram counts: the grams of 1 tokens have another number of counts");

  const auto with_metadata = [&](std::map<std::string, std::string> metadata) {
    counts.save(folder / "counts");
    save_safetensors(folder / "changed", safetensors_file(folder / "counts").tensors(), metadata);
    return message_of<error>([&] { load_ngram_counts(folder / "changed"); });
  };
  CHECK(with_metadata({}) == file + ": expected the format 'fovea ngram 1'; found ''");
  CHECK(with_metadata({{"format", "fovea ngram 1"}, {"order", "3x"}}) ==
        file + ": metadata 'order': expected a number; found '3x'");
  std::map<std::string, std::string> metadata{
      {"format", "fovea ngram 1"}, {"order", "4"}, {"vocabulary", "30"}, {"start", "0"}, {"end", "1"}};
  CHECK(with_metadata(metadata).find("grams.3.begin") != std::string::npos);
  metadata["order"] = "17";
  CHECK(with_metadata(metadata) == file + ": n-gram counts: expected an order of 1 to 16; found 17");
  CHECK_THROWS_AS(load_ngram_counts(folder / "absent"), error);
}
