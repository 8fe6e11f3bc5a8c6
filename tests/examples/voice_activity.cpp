#include <picture/speech.hpp>
#include <voice_activity/detector.hpp>
#include <voice_activity/intervals.hpp>

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

using namespace voice_activity_program;
using picture::span_of_time;

namespace {

/// The intervals in probabilities of tenths of a second.
std::vector<span_of_time> found(const std::vector<double>& probabilities, const interval_options& options) {
  interval_finder finder(options, 0.1);
  std::vector<span_of_time> all;
  const auto keep = [&](const auto& one) {
    if (one) all.push_back(*one);
  };
  for (const double p : probabilities) keep(finder.push(p));
  keep(finder.finish(0.1 * static_cast<double>(probabilities.size())));
  return all;
}

void check_intervals(const std::vector<span_of_time>& all, const std::vector<span_of_time>& expected) {
  REQUIRE(all.size() == expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].begin == Approx(expected[i].begin).margin(1e-9));
    CHECK(all[i].end == Approx(expected[i].end).margin(1e-9));
  }
}

} // namespace

TEST_CASE("speech begins above a threshold and ends a pause below another", "[voice_activity]") {
  const interval_options plain{.minimum_speech = 0.25, .minimum_silence = 0.25, .padding = 0};
  check_intervals(found({0, 1, 1, 1, 0, 0, 0, 0, 0}, plain), {{0.1, 0.4}});
  // A short pause, and one above the lower threshold, belong to it.
  check_intervals(found({1, 1, 0, 0, 1, 0.4, 0.4, 0.4, 0.4, 0, 0, 0, 0}, plain), {{0, 0.9}});
  // Too short to be speech.
  check_intervals(found({0, 1, 1, 0, 0, 0, 0, 0}, plain), {});
  // Until the end of the recording, a pause there left out.
  check_intervals(found({0, 0, 1, 1, 1}, plain), {{0.2, 0.5}});
  check_intervals(found({0, 0, 1, 1, 1, 0}, plain), {{0.2, 0.5}});
  check_intervals(found({0, 0, 0}, plain), {});

  interval_options wide = plain;
  wide.padding = 0.15;
  check_intervals(found({1, 1, 1, 0, 0, 0, 0, 1, 1, 1}, wide), {{0, 0.45}, {0.55, 1}});
  // Padding does not run into the speech before.
  wide.padding = 0.3;
  check_intervals(found({1, 1, 1, 0, 0, 0, 0, 1, 1, 1}, wide), {{0, 0.6}, {0.6, 1}});
}

TEST_CASE("a recording is drawn", "[voice_activity]") {
  const temporary_folder folder;
  picture::speech recording{.rate = 100, .step = 0.1, .spoken = {{0.2, 0.7}}};
  CHECK_THROWS_WITH(save(recording, "x.svg"), "x.svg: there is no sound to draw");
  for (int i = 0; i < 1000; ++i) recording.samples.push_back(i % 2 == 0 ? 0.5f : -0.25f);
  recording.probabilities.assign(100, 0.5f);
  save(recording, folder / "x.svg");
  CHECK(content(folder / "x.svg").find("</svg>") != std::string::npos);
  CHECK_THROWS_WITH(save(recording, "x.wav"), "x.wav: expected a name that ends in .svg or .png");
}

TEST_CASE("weights that are no detector's are refused", "[voice_activity]") {
  const temporary_folder folder;
  const auto absent = folder / "absent.safetensors";
  CHECK(message_of<fovea::error>([&] { detector ears(absent); }).starts_with(absent.string() + ": "));
}
