#pragma once

#include "speller.hpp"

#include <fovea/backends/xtensor.hpp>

#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace transcribe_program {

/// A folder of train_speech: the network, and what its classes stand for.
class ears {
public:
  /// Throws fovea::error that names the file which is missing, or does not fit.
  explicit ears(const std::filesystem::path& folder);
  ~ears();

  const speller& spells() const { return spells_; }
  /// Samples of how many frames it takes at once, at most.
  static constexpr std::size_t frames_at_once = 5;
  /// Takes the next samples, which fill whole frames: scores [frames, classes] of the frames that it has heard
  /// enough of, in their order.
  xt::xtensor<float, 2> listen(std::span<const float> samples);
  /// Those of the last frames, behind which there is silence.
  xt::xtensor<float, 2> end();

private:
  struct state;
  speller spells_;
  std::unique_ptr<state> state_;
};

} // namespace transcribe_program
