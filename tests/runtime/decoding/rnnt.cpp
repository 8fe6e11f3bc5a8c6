#include <fovea/decoding.hpp>

#include <catch2/catch.hpp>
#include <xtensor/xview.hpp>

#include <cmath>
#include <map>

using namespace fovea;
using namespace fovea::core;

namespace {

using labels_said = std::vector<std::int32_t>;

/// A transducer whose scores look random: of each class by the frame's number, which is all that a frame holds, and all
/// labels that have been said.
struct scattered {
  using state = labels_said;
  std::size_t classes;
  std::vector<float> made = {};

  state start() const { return {}; }
  std::vector<state> say(std::span<const state> states, std::span<const std::int32_t> labels) const {
    std::vector<state> longer(states.begin(), states.end());
    for (std::size_t i = 0; i < labels.size(); ++i) longer[i].push_back(labels[i]);
    return longer;
  }
  float score(float frame, const state& said, std::size_t of) const {
    double x = 1.7 * static_cast<double>(frame) + 0.9 * static_cast<double>(of) + 0.3;
    for (const std::int32_t label : said) x = 1.3 * std::sin(5 * x) + static_cast<double>(label) + 0.1;
    return static_cast<float>(2 * std::sin(40 * x + static_cast<double>(of)));
  }
  std::span<const float> scores(std::span<const float> frame, std::span<const state> states) {
    made.clear();
    for (const state& said : states)
      for (std::size_t k = 0; k < classes; ++k) made.push_back(score(frame[0], said, k));
    return made;
  }
};

xt::xtensor<float, 2> numbered_frames(std::size_t count) {
  xt::xtensor<float, 2> made = xt::xtensor<float, 2>::from_shape({count, 1});
  for (std::size_t t = 0; t < count; ++t) made(t, 0) = static_cast<float>(t);
  return made;
}

/// Adds up each alignment by itself, of at most `most` labels a frame.
void follow(const scattered& model, std::size_t frames, std::size_t frame, std::int32_t blank,
            std::size_t most, std::size_t here, const labels_said& said, double p,
            std::map<labels_said, double>& all) {
  if (frame == frames) {
    all[said] += p;
    return;
  }
  double sum = 0;
  const auto weight = [&](std::size_t k) {
    return std::exp(model.score(static_cast<float>(frame), said, k));
  };
  for (std::size_t k = 0; k < model.classes; ++k) sum += static_cast<double>(weight(k));
  for (std::size_t k = 0; k < model.classes; ++k) {
    const double next = p * static_cast<double>(weight(k)) / sum;
    if (static_cast<std::int32_t>(k) == blank) {
      follow(model, frames, frame + 1, blank, most, 0, said, next, all);
    } else if (here < most) {
      labels_said longer = said;
      longer.push_back(static_cast<std::int32_t>(k));
      follow(model, frames, frame, blank, most, here + 1, longer, next, all);
    }
  }
}

/// A transducer that says what is written: class written[frame][labels said at all], then blanks.
struct scripted {
  using state = std::size_t;
  std::vector<std::vector<std::int32_t>> written;
  std::vector<float> made = {};

  state start() const { return 0; }
  std::vector<state> say(std::span<const state> states, std::span<const std::int32_t>) const {
    return {states.front() + 1};
  }
  std::span<const float> scores(std::span<const float> frame, std::span<const state> states) {
    const auto& here = written[static_cast<std::size_t>(frame[0])];
    made.assign(4, 0);
    made[states.front() < here.size() ? static_cast<std::size_t>(here[states.front()]) : 0] = 1;
    return made;
  }
};

} // namespace

TEST_CASE("a wide beam adds up all alignments of a transducer", "[rnnt]") {
  for (const std::int32_t blank : {0, 2})
    for (const std::size_t most : {1u, 2u}) {
      scattered model{3};
      std::map<labels_said, double> all;
      follow(model, 3, 0, blank, most, 0, {}, 1, all);
      const std::vector<rnnt_text> found = rnnt_beam_search(
          model, numbered_frames(3), {.width = 5000, .best = 5000, .blank = blank, .max_labels = most});
      CHECK(found.size() == all.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].log_probability == Approx(std::log(all.at(found[i].labels))).epsilon(1e-6));
        if (i > 0) CHECK(found[i - 1].log_probability >= found[i].log_probability);
      }
    }
}

TEST_CASE("a narrow beam is sure of no more than there is", "[rnnt]") {
  scattered model{4};
  std::map<labels_said, double> all;
  follow(model, 4, 0, 0, 2, 0, {}, 1, all);
  const std::vector<rnnt_text> found =
      rnnt_beam_search(model, numbered_frames(4), {.width = 6, .best = 6, .max_labels = 2});
  REQUIRE(found.size() == 6);
  for (const rnnt_text& text : found) CHECK(text.log_probability <= std::log(all.at(text.labels)) + 1e-6);
  const auto most = std::ranges::max_element(all, {}, [](const auto& text) { return text.second; });
  CHECK(found.front().labels == most->first);
}

TEST_CASE("the most probable labels of each frame, as frames come", "[rnnt]") {
  // Frame 1 says two labels, frame 2 none, and frame 3 more than it may.
  scripted model{{{1}, {0, 3, 3}, {}, {0, 0, 0, 2, 2, 2, 2}}};
  const xt::xtensor<float, 2> frames = numbered_frames(4);
  const std::vector<rnnt_label> expected{{1, 0}, {3, 1}, {3, 1}, {2, 3}, {2, 3}, {2, 3}};
  CHECK(rnnt_greedy(model, frames, {.max_labels = 3}) == expected);
  rnnt_reader live(model, {.max_labels = 3});
  std::vector<rnnt_label> found;
  for (std::size_t t = 0; t < 4; ++t)
    for (const rnnt_label& l : live.read(xt::view(frames, xt::range(t, t + 1), xt::all())))
      found.push_back(l);
  CHECK(found == expected);
}

TEST_CASE("no frames make a transducer say nothing", "[rnnt]") {
  scattered model{3};
  CHECK(rnnt_greedy(model, numbered_frames(0)).empty());
  const std::vector<rnnt_text> found = rnnt_beam_search(model, numbered_frames(0));
  REQUIRE(found.size() == 1);
  CHECK(found.front().labels.empty());
  CHECK(found.front().log_probability == 0);
}

TEST_CASE("a transducer is not read by options that are none", "[rnnt]") {
  scattered model{3};
  const xt::xtensor<float, 2> frames = numbered_frames(2);
  CHECK_THROWS_WITH(rnnt_greedy(model, frames, {.blank = 3}), "rnnt: expected a blank of 0 to 2; found 3");
  CHECK_THROWS_WITH(rnnt_beam_search(model, frames, {.blank = -1}),
                    "rnnt: expected a blank of 0 to 2; found -1");
  CHECK_THROWS_WITH(rnnt_beam_search(model, frames, {.width = 0}),
                    "rnnt: expected a width of at least 1; found 0");
  CHECK_THROWS_WITH(rnnt_beam_search(model, frames, {.best = 0}),
                    "rnnt: expected best of at least 1; found 0");
  xt::xtensor<float, 2> nothing = numbered_frames(1);
  nothing(0, 0) = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH(rnnt_greedy(model, nothing), "rnnt: expected scores of numbers; found nan");
  CHECK_THROWS_WITH(rnnt_beam_search(model, nothing),
                    "rnnt: expected scores of numbers or minus infinity; found nan");
}
