#pragma once

#include "nam_file.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace play_amp_program {

/// An amplifier over one channel of sound, which keeps its state. It begins as one that has long heard
/// silence. Nothing is allocated while it plays.
class amp_network {
public:
  virtual ~amp_network() = default;
  /// The next samples, in place, as many as there are.
  virtual void play(std::span<float> samples) = 0;
  /// The same amplifier, as at its beginning.
  virtual std::unique_ptr<amp_network> fresh() const = 0;
};

/// The network of a file. Throws fovea::error where the program is compiled for none of its shape, or the file
/// has not as many weights as its shape takes.
std::unique_ptr<amp_network> network_of(const nam_file& file);

/// The shapes that the program is compiled for.
std::vector<network_shape> known_shapes();

} // namespace play_amp_program
