#include "../../golden_folder.hpp"
#include "lines.hpp"

#include <fovea/runtime/decoding/beam_search.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/log_probability.hpp>
#include <fovea/runtime/ngram/reader.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

using nlohmann::json;

const std::vector<ngram_smoothing> smoothings{maximum_likelihood{}, add_k{0.3}, backoff{0.4},
                                              kneser_ney{0.75}};

/// A reference case of words: its text counted, <s> behind the words of its vocabulary.
struct word_case {
  json file;
  std::vector<std::string> words;
  ngram_config config;

  explicit word_case(const std::string& name) {
    std::ifstream(std::string(golden_folder) + "/" + name + ".json") >> file;
    words = file.at("vocab").get<std::vector<std::string>>();
    words.push_back("<s>");
    config = {.order = file.at("n"),
              .vocabulary = static_cast<token_id>(words.size()),
              .start = id("<s>"),
              .end = id("</s>")};
  }

  token_id id(const std::string& word) const {
    const auto place = std::find(words.begin(), words.end(), word);
    return place == words.end() ? id("<unk>") : static_cast<token_id>(place - words.begin());
  }
  template <class list>
  token_ids ids(const list& line) const {
    token_ids found;
    for (const auto& word : line) found.push_back(id(word));
    return found;
  }
  ngram_counts counts() const {
    ngram_counter counter(config);
    for (const json& line : file.at("text")) {
      std::istringstream text(line.get<std::string>());
      counter.add(ids(std::vector<std::string>(std::istream_iterator<std::string>(text), {})));
    }
    return counter.counts();
  }
};

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

} // namespace

TEST_CASE("n-gram models agree with the reference", "[ngram][golden]") {
  for (const char* name : {"ngram_bigram", "ngram_trigram"}) {
    INFO(name);
    const word_case c(name);
    const ngram_counts counts = c.counts();
    for (const auto& [length, grams] : c.file.at("counts").items()) {
      CHECK(counts.distinct(std::stoi(length)) == grams.size());
      for (const json& g : grams)
        CHECK(counts.count(c.ids(g.at("gram"))) == g.at("count").get<std::uint64_t>());
    }

    const ngram likelihood(counts, maximum_likelihood{}), smoothed(counts, add_k{c.file.at("k")}),
        interpolated(counts, kneser_ney{c.file.at("discount")});
    const double epsilon = c.file.at("tolerance").at("rtol");
    const auto near = [&](double expected) { return Approx(expected).epsilon(epsilon); };
    for (const json& q : c.file.at("queries")) {
      INFO(q.dump());
      const token_ids context = c.ids(q.at("context"));
      const token_id word = c.id(q.at("word"));
      CHECK(counts.find_context(context).has_value() == !q.at("mle").is_null());
      CHECK(likelihood.probability(context, word) ==
            near(q.at("mle").is_null() ? 0 : q.at("mle").get<double>()));
      CHECK(smoothed.probability(context, word) == near(q.at("add_k")));
      CHECK(interpolated.probability(context, word) == near(q.at("kneser_ney")));
    }
    for (const json& t : c.file.at("tests")) {
      INFO(t.at("line"));
      token_ids text{c.config.start};
      for (const token_id id : c.ids(t.at("tokens"))) text.push_back(id);
      for (const auto& [key, model] :
           {std::pair("mle", &likelihood), {"add_k", &smoothed}, {"kneser_ney", &interpolated}}) {
        const std::vector<double> log_p = log_probabilities(*model, text);
        const json &expected = t.at("log_probs").at(key), &whole = t.at("perplexity").at(key);
        REQUIRE(log_p.size() == expected.size());
        for (std::size_t i = 0; i < log_p.size(); ++i)
          CHECK((expected[i].is_null() ? std::isinf(log_p[i]) : log_p[i] == near(expected[i]).margin(1e-12)));
        CHECK((whole.is_null() ? std::isinf(perplexity(log_p)) : perplexity(log_p) == near(whole)));
      }
    }
  }
}

TEST_CASE("the probabilities of all tokens sum to 1 and are those of each alone", "[ngram]") {
  for (const int order : {1, 2, 3, 5})
    for (const token_id vocabulary : {3, 8, 31}) {
      const ngram_config config{.order = order, .vocabulary = vocabulary};
      const auto lines = some_lines(static_cast<std::uint64_t>(order), 40, vocabulary);
      const ngram_counts counts = counts_of(config, lines);
      std::vector<token_ids> contexts{{}, {0}, {2}, {0, 2}, {2, 2, 2, 2, 2, 2}, {vocabulary - 1, 2}, {1}};
      contexts.push_back(token_ids(static_cast<std::size_t>(order) - 1, 0));
      for (const auto& line : lines) contexts.push_back(line);
      for (const ngram_smoothing& how : smoothings) {
        INFO("order " << order << ", vocabulary " << vocabulary << ", smoothing " << how.index());
        const ngram model(counts, how);
        for (const token_ids& context : contexts) {
          std::vector<double> p(static_cast<std::size_t>(vocabulary));
          model.probabilities(context, p);
          const std::size_t used = std::min(context.size(), static_cast<std::size_t>(order) - 1);
          const bool known = counts.find_context(std::span(context).last(used)).has_value();
          const bool none = std::holds_alternative<maximum_likelihood>(how) && !known;
          CHECK(sum_of(p) == Approx(none ? 0 : 1).epsilon(1e-12));
          for (token_id id = 0; id < vocabulary; ++id) {
            CHECK(p[static_cast<std::size_t>(id)] == Approx(model.probability(context, id)).epsilon(1e-12));
            CHECK(p[static_cast<std::size_t>(id)] >= 0);
          }
          CHECK(p[0] == 0);
        }
      }
    }
}

TEST_CASE("backoff discounts what was seen and asks the shorter context for the rest", "[ngram]") {
  const ngram_counts counts = counts_of({.order = 2, .vocabulary = 6}, {{2, 3}, {2, 3}, {2, 4}, {5}});
  const ngram model(counts, backoff{0.5});
  // After 2 came 3 twice and 4 once; of 11 tokens in all 2 was three.
  CHECK(model.probability(token_ids{2}, 3) == Approx(1.5 / 3));
  CHECK(model.probability(token_ids{2}, 4) == Approx(0.5 / 3));
  const auto alone = [&](token_id id) { return model.probability({}, id); };
  CHECK(alone(2) == Approx(2.5 / 11 + 0.5 * 5 / 11 / 5));
  const double weight = (0.5 * 2 / 3) / (1 - alone(3) - alone(4));
  CHECK(model.probability(token_ids{2}, 5) == Approx(weight * alone(5)));

  // All that can follow has followed: nothing is taken away.
  const ngram whole(counts_of({.order = 2, .vocabulary = 3}, {{2, 2}, {2}}), backoff{0.5});
  CHECK(whole.probability(token_ids{2}, 2) == Approx(1.0 / 3));
  CHECK(whole.probability(token_ids{2}, 1) == Approx(2.0 / 3));
}

TEST_CASE("more context is of use: the perplexity of the text itself falls with the order", "[ngram]") {
  const auto lines = some_lines(3, 200, 20);
  for (const ngram_smoothing& how : smoothings) {
    double before = 20;
    for (const int order : {1, 2, 3}) {
      const ngram model(counts_of({.order = order, .vocabulary = 20}, lines), how);
      std::vector<double> all;
      for (const auto& line : lines) {
        token_ids text{0};
        text.insert(text.end(), line.begin(), line.end());
        text.push_back(1);
        for (const double log_p : log_probabilities(model, text)) all.push_back(log_p);
      }
      CHECK(perplexity(all) < before);
      before = perplexity(all);
    }
  }
}

TEST_CASE("a model without text knows nothing: its perplexity is the number of tokens that can follow",
          "[ngram]") {
  for (const ngram_smoothing& how :
       {ngram_smoothing(add_k{1}), ngram_smoothing(backoff{0.5}), ngram_smoothing(kneser_ney{0.75})}) {
    const ngram model(counts_of({.order = 3, .vocabulary = 12}, {}), how);
    CHECK(perplexity(log_probabilities(model, {0, 3, 4, 5, 1})) == Approx(11));
  }
}

TEST_CASE("an n-gram model is decoded as any language model", "[ngram]") {
  const auto lines = some_lines(11, 80, 14);
  const ngram model(counts_of({.order = 3, .vocabulary = 14}, lines));
  ngram_reader reader(model);
  const std::vector<token_ids> prompts{{0}, {0, 2, 3, 2}, {0, 5}};
  const stopping_options where{.max_tokens = 20, .end = {1}};
  std::vector<token_ids> texts;
  for (const hypothesis& h : sample(reader, prompts, {.seed = 2, .samples = 2}, where)) {
    CHECK(std::ranges::count(h.ids, 0) == 0);
    const token_ids& prompt = prompts[texts.size() / 2];
    token_ids text = prompt;
    text.insert(text.end(), h.ids.begin(), h.ids.end());
    const auto exact = log_probabilities(model, text);
    CHECK(h.log_probability ==
          Approx(std::accumulate(exact.begin() + static_cast<std::ptrdiff_t>(prompt.size()) - 1, exact.end(),
                                 0.0))
              .epsilon(1e-5));
    texts.push_back(std::move(text));
  }
  const auto read = log_probabilities(reader, texts);
  for (std::size_t i = 0; i < texts.size(); ++i)
    CHECK(sum_of(read[i]) == Approx(log_probability(model, texts[i])).epsilon(1e-5));

  const auto wide = beam_search(reader, {0}, {.width = 8, .length_power = 0}, where);
  CHECK(wide[0].log_probability >= greedy(reader, {0}, where).log_probability - 1e-6);
}

TEST_CASE("an n-gram model that is rewound is as one that has read no more", "[ngram]") {
  const auto lines = some_lines(11, 80, 14);
  const ngram model(counts_of({.order = 4, .vocabulary = 14}, lines));
  const token_ids text{5, 2, 0, 3, 2, 7, 4, 3}; // the start stands within
  for (std::size_t kept = 0; kept < text.size(); ++kept) {
    ngram_reader rewound(model), fresh(model);
    rewound.begin(1), fresh.begin(1);
    rewound.step(text);
    rewound.rewind(text.size() - kept);
    if (kept > 0) fresh.step(std::span(text).first(kept));
    const auto found = rewound.step(token_ids{9}).last(0), expected = fresh.step(token_ids{9}).last(0);
    CHECK(std::ranges::equal(found, expected));
  }
}

TEST_CASE("n-gram models that make no sense are named", "[ngram]") {
  const ngram_counts counts = counts_of({.order = 2, .vocabulary = 6}, {{2, 3}});
  CHECK_THROWS_WITH(ngram(counts, add_k{0}), "n-gram: expected a k above 0; found 0");
  CHECK_THROWS_WITH(ngram(counts, kneser_ney{1.5}), "n-gram: expected a discount of 0 to 1; found 1.5");
  CHECK_THROWS_WITH(ngram(counts, backoff{-1}), "n-gram: expected a discount of 0 to 1; found -1");
  const ngram model(counts);
  CHECK_THROWS_WITH(model.probability(token_ids{6}, 2), "n-gram: expected ids of 0 to 5; found 6");
  CHECK_THROWS_WITH(model.probability(token_ids{2}, -1), "n-gram: expected ids of 0 to 5; found -1");
  std::vector<double> few(5);
  CHECK_THROWS_WITH(model.probabilities({}, few), "n-gram: expected room for 6 probabilities; found 5");
  CHECK_THROWS_WITH(log_probabilities(model, {}), "a text without ids has no probability");
  ngram_reader reader(model);
  CHECK_THROWS_WITH(greedy(reader, {9}, {}), "n-gram: expected ids of 0 to 5; found 9");
}
