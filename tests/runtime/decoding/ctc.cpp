#include "../../golden_case.hpp"

#include <fovea/decoding.hpp>

#include <xtensor/xview.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

golden_case case_of(const std::string& name) {
  return golden_case(name, std::filesystem::path(golden_folder) / "today");
}

/// The frames of a row of a case that count.
xt::xtensor<float, 2> row_of(const golden_case& c, std::size_t row) {
  const golden_tensor& logits = c.at("input.logits");
  const std::size_t frames = logits.shape[1], classes = logits.shape[2],
                    count = static_cast<std::size_t>(c.at("input.input_lengths").values[row]);
  xt::xtensor<float, 2> made = xt::xtensor<float, 2>::from_shape({count, classes});
  std::transform(logits.values.begin() + static_cast<std::ptrdiff_t>(row * frames * classes),
                 logits.values.begin() + static_cast<std::ptrdiff_t>((row * frames + count) * classes),
                 made.begin(), [](double x) { return static_cast<float>(x); });
  return made;
}

/// Labels of row `row` of a tensor [rows, labels], up to the first -1.
std::vector<std::int32_t> labels_at(const golden_tensor& of, std::size_t row) {
  std::vector<std::int32_t> made;
  for (std::size_t i = 0, n = of.shape.back(); i < n && of.values[row * n + i] >= 0; ++i)
    made.push_back(static_cast<std::int32_t>(of.values[row * n + i]));
  return made;
}

std::vector<std::int32_t> labels_of(const std::vector<ctc_label>& from) {
  std::vector<std::int32_t> made;
  for (const ctc_label& l : from) made.push_back(l.label);
  return made;
}

void check_case(const std::string& name) {
  const golden_case c = case_of(name);
  const golden_tensor &beams = c.at("output.beam_ids"), &scores = c.at("output.beam_scores");
  const std::size_t width = beams.shape[1];
  for (std::size_t row = 0; row < beams.shape[0]; ++row) {
    INFO(name << ", row " << row);
    const xt::xtensor<float, 2> frames = row_of(c, row);
    CHECK(labels_of(ctc_greedy(frames)) == labels_at(c.at("output.greedy_ids"), row));
    const std::vector<ctc_text> found = ctc_beam_search(frames, {.width = width, .best = width});
    for (std::size_t i = 0; i < width; ++i) {
      const double expected = scores.values[row * width + i];
      if (std::isinf(expected)) {
        CHECK(found.size() <= i);
        continue;
      }
      REQUIRE(found.size() > i);
      CHECK(found[i].labels == labels_at(beams, row * width + i));
      CHECK(found[i].log_probability == Approx(expected).epsilon(1e-5));
      CHECK(found[i].score == found[i].log_probability);
    }
  }
}

xt::xtensor<float, 2> frames_of(std::initializer_list<std::initializer_list<float>> rows) {
  xt::xtensor<float, 2> made = xt::xtensor<float, 2>::from_shape({rows.size(), rows.begin()->size()});
  std::size_t t = 0;
  for (const auto& row : rows) std::copy(row.begin(), row.end(), &made(t++, 0));
  return made;
}

} // namespace

TEST_CASE("labels are read as all paths say them", "[ctc]") {
  check_case("ctc_decode");
  check_case("ctc_decode_wide");
}

TEST_CASE("a reader takes frames as they come", "[ctc]") {
  const xt::xtensor<float, 2> frames =
      frames_of({{0, 9, 0}, {0, 9, 0}, {9, 0, 0}, {0, 9, 0}, {0, 0, 9}, {0, 0, 9}, {9, 9, 9}});
  const std::vector<ctc_label> whole = ctc_greedy(frames);
  CHECK(whole == std::vector<ctc_label>{{1, 0}, {1, 3}, {2, 4}});
  for (const std::size_t piece : {1u, 2u, 3u}) {
    ctc_reader live;
    std::vector<ctc_label> found;
    for (std::size_t t = 0; t < frames.shape()[0]; t += piece)
      for (const ctc_label& l :
           live.read(xt::view(frames, xt::range(t, std::min(t + piece, frames.shape()[0])), xt::all())))
        found.push_back(l);
    CHECK(found == whole);
  }
  CHECK(ctc_greedy(frames, 2) == std::vector<ctc_label>{{1, 0}, {0, 2}, {1, 3}, {0, 6}});
}

TEST_CASE("a prior decides where frames are as good as each other", "[ctc]") {
  const xt::xtensor<float, 2> frames = frames_of({{never, 1, 1}, {9, 0, 0}, {never, 1, 1}});
  const auto alternate = [](std::span<const std::int32_t> before, std::int32_t next) {
    return std::log(before.empty() ? (next == 2 ? 0.6 : 0.4) : next == before.back() ? 0.1 : 0.9);
  };
  const ctc_beam_options how{.prior = alternate};
  const std::vector<ctc_text> found = ctc_beam_search(frames, how);
  CHECK(found.front().labels == std::vector<std::int32_t>{2, 1});
  CHECK(found.front().score ==
        Approx(found.front().log_probability + std::log(0.6) + std::log(0.9)).epsilon(1e-9));
  // Without a prior its weight is nothing; the bonus counts for each label.
  CHECK(ctc_beam_search(frames, {.weight = 3, .bonus = 2}).front().score ==
        Approx(ctc_beam_search(frames).front().score + 4).epsilon(1e-9));
}

TEST_CASE("no frames say nothing", "[ctc]") {
  const xt::xtensor<float, 2> none = xt::xtensor<float, 2>::from_shape({0, 3});
  CHECK(ctc_greedy(none).empty());
  const std::vector<ctc_text> found = ctc_beam_search(none);
  REQUIRE(found.size() == 1);
  CHECK(found.front().labels.empty());
  CHECK(found.front().log_probability == 0);
}

TEST_CASE("scores and options that are none are refused", "[ctc]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH(ctc_greedy(frames_of({{0, nan}})), "ctc: expected scores of numbers; found nan");
  CHECK_THROWS_WITH(ctc_greedy(frames_of({{0, 1}}), 2), "ctc: expected a blank of 0 to 1; found 2");
  CHECK_THROWS_WITH(ctc_beam_search(frames_of({{0, nan}})),
                    "ctc: expected scores of numbers or minus infinity; found nan");
  CHECK_THROWS_WITH(ctc_beam_search(frames_of({{never, never}})),
                    "ctc: expected a class that is possible in each frame; found none");
  CHECK_THROWS_WITH(ctc_beam_search(frames_of({{0, 1}}), {.blank = -1}),
                    "ctc: expected a blank of 0 to 1; found -1");
  CHECK_THROWS_WITH(ctc_beam_search(frames_of({{0, 1}}), {.width = 0}),
                    "ctc: expected a width of at least 1; found 0");
}
