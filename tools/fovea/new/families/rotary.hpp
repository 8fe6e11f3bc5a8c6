#pragma once

#include "decoder_sizes.hpp"

#include <string>

namespace tool {

/// The turns of rotary positions.
struct rotary_positions {
  double base = 10000;
  std::string scaling = {}; // the word that scales them; empty: they are plain
  bool by_tensor = false;   // a tensor of the file says it
};

/// The base that an object of the positions says, or else the setting rope_theta; both have to say the same.
double rotary_base_of(settings& config, settings& given, double base);

/// What rope_theta, rope_scaling and rope_parameters say; new files keep the base with its scaling. `context` tokens are
/// what the model takes, scaled; `base` is taken where nothing says another.
rotary_positions rotary_of(settings& config, int context, const checkpoint& from, double base = 10000);

/// The same of a language model, whose GGUF file has keys of its own for them, and for Llama 3's scaling a tensor.
rotary_positions rotary_of_decoder(checkpoint& from, tensor_list& tensors, const decoder_sizes& s,
                                   double base = 10000);

/// The values of a tensor, which is there.
std::vector<float> values_of(const checkpoint& from, const std::string& tensor);

/// What an object of one form says, all of which is read: those of layers of one kind, for example.
rotary_positions rotary_in(settings& given, double base, int context, const checkpoint& from);

} // namespace tool
