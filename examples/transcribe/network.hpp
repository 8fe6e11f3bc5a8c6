#pragma once

#include <fovea/dsl.hpp>

namespace transcribe_program {

using namespace fovea;

inline constexpr dim B{"B"}, F{"F"}, S{"S"};

/// What speech is heard as, and the network that reads it.
struct sizes {
  static constexpr int rate = 8000;                             // samples a second
  static constexpr int window = 256, hop = 80, bins = 129;      // of a spectrum, in samples
  static constexpr int bands = 40, spectra = 4;                 // of the network's frames of 40 ms
  static constexpr int samples = spectra * hop;                 // of such a frame
  static constexpr double silence = 1e-6;                       // an energy that each band has at least
  static constexpr int width = 64, state = 64, characters = 47; // the last: the most that differ
  static constexpr int classes = characters + 1;                // 0: none of them
};

/// The logarithm of what sounds in each band of the mel scale: samples [B, N] -> [B, N / 80, 40], of the 256
/// samples up to each 80th. spectrum.weight holds the window's cosines and sines, bands.weight the bands.
constexpr expr heard_bands(expr samples) {
  const expr parts = conv1d(unsqueeze(samples, 2), "spectrum", 2 * sizes::bins, sizes::window,
                            {.stride = sizes::hop, .padding = causal, .bias = false});
  const auto [real, imaginary] = split<2>(parts);
  return log(linear(real * real + imaginary * imaginary, "bands", sizes::bands, {.bias = false}) +
             sizes::silence);
}

/// Scores of the characters in each frame of 40 ms: bands [B, 4 F, 40], each with a mean of 0 and a variance
/// of 1, and how many frames of each row count -> [B, F, classes].
constexpr expr speech_scores(expr bands, expr lengths = {}) {
  const auto layer = [](expr x, const char* name) {
    return relu(conv1d(x, name, sizes::width, 5, {.stride = 2, .padding = 2}));
  };
  const expr x = dropout(layer(layer(bands, "conv1"), "conv2"), 0.2);
  const expr h = dropout(gru(x, "rnn", sizes::state, {.lengths = lengths}), 0.2);
  return linear(h, "out", sizes::classes);
}

/// Bands, before they are brought to a mean of 0 and a variance of 1.
inline constexpr auto bands = model("bands", [](graph& g) {
  g.output("bands",
           heard_bands(reshape(g.input<f32>("samples", {B, F, sizes::samples}), {B, sizes::samples * F})));
});

/// What it learns: bands [B, 4 F, 40], frames [B] and labels [B, S], 0 behind the last of a row.
inline constexpr auto speech_loss = model("speech_loss", [](graph& g) {
  const expr frames = g.input<i32>("frames", {B});
  const expr scores = speech_scores(g.input<f32>("bands", {B, sizes::spectra * F, sizes::bands}), frames);
  g.output("loss", ctc_loss(scores, g.input<i32>("labels", {B, S}), {.lengths = frames}));
});

/// From sound to scores, streamed along F, 40 ms each: samples [B, F, 320] within +-1 -> [B, F, classes].
inline constexpr auto speech = model("speech", [](graph& g) {
  const expr samples = reshape(g.input<f32>("samples", {B, F, sizes::samples}), {B, sizes::samples * F});
  const expr heard = heard_bands(samples);
  const expr mean = parameter(heard, "mean", {sizes::bands}),
             scale = parameter(heard, "scale", {sizes::bands});
  g.output("scores", speech_scores((heard - mean) * scale));
});

} // namespace transcribe_program
