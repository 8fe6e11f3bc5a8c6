#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace audio {

/// A sound file read from its beginning, by libsndfile: WAV and what else that reads.
class sound_reader {
public:
  /// "-" is the standard input. Throws fovea::error that names the file and why it cannot be read, or
  /// that a WAV was cut short.
  explicit sound_reader(const std::string& file);

  int rate() const; // frames a second
  int channels() const;
  /// How many frames there are; 0 where the file does not say.
  std::int64_t frames() const;
  /// The next frames as samples within +-1, channels side by side: as many as fill `samples`, fewer at the
  /// end. Returns how many frames were read. Throws fovea::error where a
  /// sample is no number, and at the end of a WAV from the standard input that was cut short.
  std::size_t read(std::span<float> samples);

private:
  struct state;
  std::shared_ptr<state> state_;
};

/// Throws fovea::error where a name does not end as a WAV's, in .wav.
void expect_wav(const std::filesystem::path& file);

/// Writes samples, channels side by side, as a WAV of 32-bit floats. Throws fovea::error that names the file.
void write_wav(const std::filesystem::path& file, std::span<const float> samples, int channels, int rate);

} // namespace audio
