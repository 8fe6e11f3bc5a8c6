#pragma once

#include <audio/sound_file.hpp>

#include <string>
#include <vector>

namespace transcribe_program {

/// A recording of sizes::rate Hz as whole frames of sizes::samples: its channels averaged, and silence behind
/// its end.
class recording {
public:
  /// "-" is the standard input. Throws fovea::error that names the file where it has another rate.
  recording(const std::string& file, std::size_t frames_at_once);

  /// The samples of the next frames; none at the end. Throws fovea::error where there was none at all.
  std::vector<float> next();
  double seconds() const; // that were read

private:
  std::string file_;
  audio::sound_reader sound_;
  std::vector<float> read_;
  std::size_t samples_ = 0;
};

/// All of it.
std::vector<float> read_recording(const std::string& file);

} // namespace transcribe_program
