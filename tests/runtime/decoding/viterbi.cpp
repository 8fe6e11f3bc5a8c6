#include "../../golden_case.hpp"

#include <fovea/runtime/decoding/random.hpp>
#include <fovea/runtime/decoding/viterbi.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr float forbidden = -std::numeric_limits<float>::infinity();

/// Numbers between -2 and 2, another series for each n; every `hole`-th is forbidden.
template <class tensor>
tensor scattered(std::vector<std::size_t> shape, std::uint64_t n, std::uint64_t hole = 0) {
  typename tensor::shape_type sizes{};
  std::copy(shape.begin(), shape.end(), sizes.begin());
  tensor made(sizes);
  std::uint64_t i = 0;
  for (float& x : made) {
    x = static_cast<float>(4 * uniform(1, n, i) - 2);
    if (hole > 0 && uniform(2, n, i) * static_cast<double>(hole) < 1) x = forbidden;
    ++i;
  }
  return made;
}

double score_of(const xt::xtensor<float, 2>& scores, const transition_scores& t,
                const std::vector<std::int32_t>& labels) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    sum += static_cast<double>(scores(i, label));
    if (i > 0) sum += static_cast<double>(t.between(static_cast<std::size_t>(labels[i - 1]), label));
    if (i == 0 && t.start.size() > 0) sum += static_cast<double>(t.start(label));
    if (i + 1 == labels.size() && t.end.size() > 0) sum += static_cast<double>(t.end(label));
  }
  return sum;
}

/// The best of all paths, one tried after another.
label_path by_trying_all(const xt::xtensor<float, 2>& scores, const transition_scores& t) {
  const auto labels = static_cast<std::int32_t>(scores.shape()[1]);
  std::vector<std::int32_t> path(scores.shape()[0]);
  label_path best{{}, -std::numeric_limits<double>::infinity()};
  while (true) {
    const double score = score_of(scores, t, path);
    if (score > best.score) best = {path, score};
    std::size_t i = 0;
    while (i < path.size() && ++path[i] == labels) path[i++] = 0;
    if (i == path.size()) return best;
  }
}

} // namespace

TEST_CASE("the path found is the best of all", "[viterbi]") {
  std::uint64_t n = 0;
  for (const std::size_t labels : std::vector<std::size_t>{1, 2, 3, 5, 7})
    for (const std::size_t steps : std::vector<std::size_t>{1, 2, 3, 4, 5})
      for (const std::uint64_t hole : std::vector<std::uint64_t>{0, 6}) {
        INFO(steps << " steps of " << labels << " labels");
        const auto scores = scattered<xt::xtensor<float, 2>>({steps, labels}, ++n);
        transition_scores t{scattered<xt::xtensor<float, 2>>({labels, labels}, ++n, labels > 1 ? hole : 0)};
        if (steps % 2 == 1) t.start = scattered<xt::xtensor<float, 1>>({labels}, ++n);
        if (steps > 2) t.end = scattered<xt::xtensor<float, 1>>({labels}, ++n);
        const label_path expected = by_trying_all(scores, t);
        if (std::isinf(expected.score)) {
          CHECK_THROWS_WITH(viterbi(scores, t),
                            "viterbi: every path of " + std::to_string(steps) + " labels is forbidden");
          continue;
        }
        const label_path found = viterbi(scores, t);
        CHECK(found.labels == expected.labels);
        CHECK(found.score == Approx(expected.score));
      }
}

TEST_CASE("without transitions each step has its likeliest label: the tagger's reference", "[golden]") {
  const golden_case c("tagger_bilstm");
  const golden_tensor &logits = c.at("output.logits"), &tags = c.at("output.tags"),
                      &lengths = c.at("input.lengths");
  xt::xtensor<float, 3> scores(std::array<std::size_t, 3>{logits.shape[0], logits.shape[1], logits.shape[2]});
  std::copy(logits.values.begin(), logits.values.end(), scores.begin());
  const std::size_t labels = logits.shape[2], steps = logits.shape[1];
  xt::xtensor<std::int32_t, 1> length(std::array<std::size_t, 1>{lengths.values.size()});
  std::copy(lengths.values.begin(), lengths.values.end(), length.begin());
  const auto paths = viterbi(scores, length, {xt::zeros<float>({labels, labels})});
  REQUIRE(paths.size() == logits.shape[0]);
  for (std::size_t b = 0; b < paths.size(); ++b) {
    REQUIRE(paths[b].labels.size() == static_cast<std::size_t>(lengths.values[b]));
    for (std::size_t i = 0; i < paths[b].labels.size(); ++i)
      CHECK(paths[b].labels[i] == tags.values[b * steps + i]);
  }
}

TEST_CASE("a batch is its sequences, and equal paths are chosen by their last labels", "[viterbi]") {
  const auto scores = scattered<xt::xtensor<float, 3>>({4, 6, 3}, 90);
  const transition_scores t{scattered<xt::xtensor<float, 2>>({3, 3}, 91),
                            scattered<xt::xtensor<float, 1>>({3}, 92),
                            scattered<xt::xtensor<float, 1>>({3}, 93)};
  const xt::xtensor<int, 1> lengths{6, 0, 1, 4};
  const auto paths = viterbi(scores, lengths, t);
  REQUIRE(paths.size() == 4);
  CHECK(paths[1].labels.empty());
  CHECK(paths[1].score == 0);
  for (const std::size_t b : std::vector<std::size_t>{0, 2, 3}) {
    const xt::xtensor<float, 2> one = xt::view(scores, b, xt::range(0, lengths(b)), xt::all());
    const label_path alone = viterbi(one, t);
    CHECK(paths[b].labels == alone.labels);
    CHECK(paths[b].score == alone.score);
  }
  // B may follow A and A may follow B, nothing else: ABA.. and BAB.. are equal.
  const transition_scores alternating{{{forbidden, 0}, {0, forbidden}}};
  CHECK(viterbi(xt::xtensor<float, 2>(xt::zeros<float>({3, 2})), alternating).labels ==
        std::vector<std::int32_t>{0, 1, 0});
  CHECK(viterbi(xt::xtensor<float, 2>(xt::zeros<float>({2, 2})), alternating).labels ==
        std::vector<std::int32_t>{1, 0});
}

TEST_CASE("what does not fit is named", "[viterbi]") {
  const xt::xtensor<float, 2> scores = xt::zeros<float>({4, 3}), square = xt::zeros<float>({3, 3});
  CHECK_THROWS_WITH(viterbi(scores, {scores}), "viterbi: expected transitions of shape [3, 3]; found [4, 3]");
  CHECK_THROWS_WITH(viterbi(scores, {square, {0.f, 1.f}}),
                    "viterbi: expected start scores of shape [3]; found [2]");
  CHECK_THROWS_WITH(viterbi(scores, {square, {}, {0.f, 1.f}}),
                    "viterbi: expected end scores of shape [3]; found [2]");
  xt::xtensor<float, 2> bad = scores;
  bad(1, 2) = std::nanf("");
  CHECK_THROWS_WITH(viterbi(bad, {square}),
                    "viterbi: expected scores of numbers or minus infinity; found nan");
  const xt::xtensor<float, 3> batch = xt::zeros<float>({2, 4, 3});
  CHECK_THROWS_WITH(viterbi(batch, {1, 5}, {square}), "viterbi: expected lengths of 0 to 4; found 5");
  CHECK_THROWS_WITH(viterbi(batch, {1, -1}, {square}), "viterbi: expected lengths of 0 to 4; found -1");
  CHECK_THROWS_WITH(viterbi(batch, {1}, {square}), "viterbi: expected lengths of shape [2]; found [1]");
  xt::xtensor<float, 2> infinite = square;
  infinite(2, 0) = std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH(viterbi(scores, {infinite}),
                    "viterbi: expected transitions of numbers or minus infinity; found inf");
  CHECK_THROWS_WITH(viterbi(scores, {xt::full_like(square, forbidden)}),
                    "viterbi: every path of 4 labels is forbidden");
}
