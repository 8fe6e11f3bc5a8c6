#pragma once

#include <fovea/weights/weights.hpp>

#include <memory>
#include <string>
#include <vector>

namespace stream_audio_program {

/// A network over one channel of sound, sample by sample; it keeps its state. Nothing is allocated by a step.
class sound_network {
public:
  virtual ~sound_network() = default;
  virtual float step(float sample) = 0;
  /// The same network, as at its beginning.
  virtual std::unique_ptr<sound_network> fresh() const = 0;
};

/// The network that weights of RTNeural's JSON hold. `skip` adds its input to its output. Throws fovea::error
/// where the program is compiled for no network of these layers, or the file does not say its layers.
std::unique_ptr<sound_network> network_of(const fovea::model_weights& from, bool skip);

/// The layers that weights say they have: "lstm 8, dense 1 tanh".
std::string layers_of(const fovea::model_weights& from);
/// Those that the program is compiled for.
std::vector<std::string> known_layers();

} // namespace stream_audio_program
