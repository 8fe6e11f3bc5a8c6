#include <fovea/models/ngram.hpp>

#include "../model_case.hpp"
#include "../runtime/ngram/lines.hpp"

#include <fovea/runtime/decoding/log_probability.hpp>
#include <fovea/runtime/decoding/whole_prefix.hpp>
#include <fovea/runtime/ngram/dense.hpp>
#include <fovea/runtime/ngram/reader.hpp>

using namespace fovea;
using namespace fovea::core::test;
using models::dense_ngram_config;

namespace {

inline constexpr dim B{"B"}, T{"T"};

static_assert(models::dense_ngram<dense_ngram_config{.order = 3, .vocabulary = 7}>.parameters() == 7 * 7 * 7);

/// The network gives every text the probability that the counts give it.
template <int order, int vocabulary>
void check_table() {
  constexpr dense_ngram_config c{.order = order, .vocabulary = vocabulary};
  INFO("order " << order << ", vocabulary " << vocabulary);
  const auto lines = some_lines(order, 25, vocabulary);
  const ngram counted(counts_of({.order = order, .vocabulary = vocabulary}, lines));
  std::vector<token_ids> texts;
  for (const auto& line : lines) {
    token_ids text{0};
    text.insert(text.end(), line.begin(), line.end());
    text.push_back(1);
    texts.push_back(std::move(text));
  }
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(models::dense_ngram<c>, dense_weights(counted),
                                          {.capacity = {{B, 25}, {T, 12}}});
    whole_prefix model([&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
    const auto found = log_probabilities(model, texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::vector<double> expected = log_probabilities(counted, texts[i]);
      REQUIRE(found[i].size() == expected.size());
      for (std::size_t t = 0; t < expected.size(); ++t)
        CHECK(found[i][t] == Approx(expected[t]).margin(1e-5));
    }
  });
}

} // namespace

TEST_CASE("an n-gram model as a network gives the probabilities of its counts", "[ngram]") {
  check_table<1, 5>();
  check_table<2, 17>();
  check_table<3, 9>();
  check_table<5, 4>();
}

TEST_CASE("a table too large for memory is refused", "[ngram]") {
  const ngram model(counts_of({.order = 4, .vocabulary = 1000}, {}));
  CHECK_THROWS_WITH(dense_weights(model),
                    "n-gram: a table of all contexts of 3 tokens out of 1000 would take more "
                    "than 2 GiB");
}
