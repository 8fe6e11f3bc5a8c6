// n-gram models of characters over ../shared/data/tinyshakespeare: trained on nine tenths, tested on the
// last.

#include <fovea/runtime/decoding/log_probability.hpp>
#include <fovea/runtime/ngram/ngram.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <string>

using namespace fovea;
using namespace fovea::core;

TEST_CASE("characters of Shakespeare are predicted better from longer contexts", "[ngram]") {
  std::ifstream file(std::string(std::getenv("FOVEA_SHARED")) + "/data/tinyshakespeare/input.txt");
  REQUIRE(file.good());
  std::vector<token_ids> lines;
  for (std::string line; std::getline(file, line);) {
    lines.emplace_back();
    for (const char c : line) lines.back().push_back(static_cast<unsigned char>(c));
  }
  const std::size_t train = lines.size() / 10 * 9;

  double before = 256;
  for (const int order : {1, 2, 3, 5}) {
    INFO("order " << order);
    ngram_counter counter({.order = order, .vocabulary = 258, .start = 256, .end = 257});
    for (std::size_t i = 0; i < train; ++i) counter.add(lines[i]);
    const ngram_counts counts = counter.counts();
    const ngram interpolated(counts, kneser_ney{}), backed_off(counts, backoff{0.75}),
        added(counts, add_k{1});
    const auto perplexity_of = [&](const ngram& model) {
      std::vector<double> all;
      for (std::size_t i = train; i < lines.size(); ++i) {
        token_ids text{256};
        text.insert(text.end(), lines[i].begin(), lines[i].end());
        text.push_back(257);
        const std::vector<double> log_p = log_probabilities(model, text);
        all.insert(all.end(), log_p.begin(), log_p.end());
      }
      return perplexity(all);
    };
    const double found = perplexity_of(interpolated);
    CHECK(found < before);
    // The order of the methods that Chen and Goodman (1999) find.
    CHECK(found <= perplexity_of(backed_off) * (1 + 1e-9));
    if (order > 1) CHECK(perplexity_of(backed_off) < perplexity_of(added));
    before = found;
  }
  CHECK(before < 7); // order 5
}
