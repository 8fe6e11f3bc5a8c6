#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/weights/weights.hpp>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace transcribe_program {

/// The window's cosines and sines and the bands of the mel scale, which heard_bands multiplies by: a periodic Hann
/// window, and triangles of height 1 between 0 Hz and half the rate (mel = 2595 log10(1 + f / 700)).
std::map<std::string, fovea::weight_tensor> tables_of_hearing();

/// What sounds in each band, as network.hpp's bands: [4 frames, 40].
class hearing {
public:
  hearing();
  ~hearing();
  /// Of samples that fill whole frames.
  xt::xtensor<float, 2> bands_of(std::span<const float> samples);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace transcribe_program
