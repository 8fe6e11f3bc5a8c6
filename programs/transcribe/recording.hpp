#pragma once

#include <audio/sound_file.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fovea::programs {

/// A sound as Whisper hears it: of one channel, the mean of those of the file, and of 16000 samples a second.
class recording {
public:
  static constexpr int rate = 16000;

  /// "-" is the standard input. Throws fovea::error that names the file and why it cannot be read.
  explicit recording(const std::string& file);

  /// The next samples; none at the end. Throws fovea::error where the file has none at all, or one that is no number.
  std::vector<float> next();

  /// Seconds of the file that were read, and that it says it has: 0 where it does not.
  double seconds_read() const;
  double seconds() const;

private:
  struct state;
  std::vector<float> channels_joined(std::span<const float> read);
  std::vector<float> at_rate(std::vector<float>& samples, bool is_last);

  std::string name_;
  audio::sound_reader sound_;
  std::size_t frames_ = 0; // that were read
  bool ended_ = false;
  std::shared_ptr<state> state_;
};

} // namespace fovea::programs
