#pragma once

#include <filesystem>
#include <memory>
#include <span>

namespace voice_activity_program {

/// Silero's detector, moving along a recording of 16 kHz.
class detector {
public:
  static constexpr int rate = 16000;
  static constexpr std::size_t chunk = 512; // samples

  /// Opens the published weights, silero_vad_16k.safetensors.
  explicit detector(const std::filesystem::path& weights);
  ~detector();

  /// The probability that somebody speaks in the next `chunk` samples.
  float step(std::span<const float> samples);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace voice_activity_program
