#pragma once

#include <fovea/dsl.hpp>
#include <fovea/programs/input_axis.hpp>

#include <numbers>

namespace fovea::programs {

/// samples [T] of 16000 Hz -> logs [(T - 400) / 160 + 1, mels]: log10 of the energies of frames that lie within the
/// samples, as Whisper hears them (Radford et al. 2023, section 2.2) before it looks for the largest of a recording.
template <int mels>
inline constexpr auto hearing = model("hearing", [](graph& g) {
  constexpr int size = 400, hop = 160;
  const expr samples = g.input<f32>("samples", {"T"});
  const expr power = stft(samples, {.size = size, .hop = hop, .centre = false}).power();
  const expr energies = matmul(power, mel_filters(samples, size / 2 + 1, {.mels = mels}));
  g.output("logs", log(max(energies, 1e-10)) * (1 / std::numbers::ln10));
});

/// That of a model of features [B, frames, mels]; of 80 mels where the model is another, which is refused elsewhere.
template <class M>
inline constexpr auto hearing_of = hearing<input_axis<M>("features", 2, 80)>;

} // namespace fovea::programs
