#include "subtitles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace transcribe_program {
namespace {

constexpr double shown_after = 0.5; // seconds that a character stays

std::string clock_of(double seconds) {
  const auto all = static_cast<long>(std::llround(seconds * 1000));
  return fmt::format("{:02}:{:02}:{:02},{:03}", all / 3600000, all / 60000 % 60, all / 1000 % 60, all % 1000);
}

} // namespace

std::vector<subtitle> subtitles_of(const std::vector<heard>& all, const subtitle_options& options,
                                   double end) {
  std::vector<subtitle> made;
  double before = 0;
  std::size_t characters = 0;
  for (const heard& h : all) {
    if (made.empty() || h.at - before > options.pause || characters == options.most) {
      made.push_back({h.at, h.at, ""});
      characters = 0;
    }
    made.back().text += h.character;
    made.back().end = std::min(end, h.at + shown_after);
    before = h.at, ++characters;
  }
  for (std::size_t i = 1; i < made.size(); ++i) made[i - 1].end = std::min(made[i - 1].end, made[i].begin);
  return made;
}

std::string srt_of(const std::vector<subtitle>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
    text += fmt::format("{}\n{} --> {}\n{}\n\n", i + 1, clock_of(all[i].begin), clock_of(all[i].end),
                        all[i].text);
  return text;
}

} // namespace transcribe_program
