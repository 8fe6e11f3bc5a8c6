#pragma once

#include "recording.hpp"

#include <fovea/programs/speech_network.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace fovea::programs {

/// The features of a whole recording, 100 frames a second: logarithms of energies in mels, none more than 8 below the
/// largest, within about -1 and 1 (Radford et al. 2023, section 2.2). Behind its end there is silence.
class heard_sound {
public:
  /// Reads the recording to its end; `each` is called as it goes on.
  heard_sound(recording& from, speech_hearing& hearing, const std::function<void()>& each);

  std::size_t frames() const { return features_.size() / mels_; }
  /// `size` frames from `first` on as [size, mels]; zeros behind the end.
  std::vector<float> window(std::size_t first, std::size_t size) const;

private:
  void take(std::vector<float>& samples, std::size_t frames, speech_hearing& hearing);

  std::size_t mels_ = 1;
  std::vector<float> features_;
};

} // namespace fovea::programs
