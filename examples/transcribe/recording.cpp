#include "recording.hpp"
#include "network.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>

namespace transcribe_program {

recording::recording(const std::string& file, std::size_t frames_at_once)
    : file_(file), sound_(file),
      read_(frames_at_once * sizes::samples * static_cast<std::size_t>(sound_.channels())) {
  if (sound_.rate() != sizes::rate)
    throw fovea::error(
        fmt::format("{}: expected sound of {} Hz, found {} Hz", file, sizes::rate, sound_.rate()));
}

std::vector<float> recording::next() {
  const auto channels = static_cast<std::size_t>(sound_.channels());
  const std::size_t got = sound_.read(read_);
  if (got + samples_ == 0) throw fovea::error(file_ + ": holds no samples");
  samples_ += got;
  std::vector<float> made((got + sizes::samples - 1) / sizes::samples * sizes::samples);
  for (std::size_t i = 0; i < got; ++i) {
    for (std::size_t c = 0; c < channels; ++c) made[i] += read_[i * channels + c];
    made[i] /= static_cast<float>(channels);
  }
  return made;
}

double recording::seconds() const { return static_cast<double>(samples_) / sizes::rate; }

std::vector<float> read_recording(const std::string& file) {
  recording sound(file, 100);
  std::vector<float> made;
  for (std::vector<float> part = sound.next(); !part.empty(); part = sound.next())
    made.insert(made.end(), part.begin(), part.end());
  return made;
}

} // namespace transcribe_program
