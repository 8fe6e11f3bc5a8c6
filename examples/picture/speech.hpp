#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace picture {

/// In seconds.
struct span_of_time {
  double begin, end;
};

/// A text, and the seconds at which it was said.
struct word {
  double at;
  std::string text;
};

/// A recording, and how likely it was at each moment that somebody spoke.
struct speech {
  std::vector<float> samples = {}; // within +-1
  int rate = 0;                    // samples a second
  std::vector<float> probabilities = {};
  double step = 0; // seconds between two of these
  double threshold = 0.5;
  std::vector<span_of_time> spoken = {};
  std::vector<word> words = {};
};

/// Draws the waveform over the probability, with what was spoken shaded and the words between them, as .svg or .png. Throws fovea::error
/// for a recording without samples and where the file cannot be written.
void save(const speech& recording, const std::filesystem::path& file);

} // namespace picture
