#pragma once

// Silero's voice activity detector, 16 kHz (Silero Team 2021-2025, "Silero VAD", version 5 and later): the
// spectrum of 512 samples by a convolution, four more over its frames, a long short-term memory from chunk to
// chunk. Loads the published safetensors file unchanged.

#include <fovea/models/position_before.hpp>

#include <array>

namespace fovea::models {

struct silero_vad_sizes {
  static constexpr int samples = 512, before = 64, after = 64; // of a chunk, and around it
  static constexpr int window = 256, hop = 128, bins = window / 2 + 1, hidden = 128;
};

/// What a chunk is heard as: samples [B, T, 512] -> [B, T, 640], the 64 samples before it, itself, and its
/// end in reverse, the last sample left out.
constexpr expr with_surroundings(expr samples, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  using n = silero_vad_sizes;
  const reported_at here(samples, at);
  const expr before = position_before(slice(samples, axis(2), -n::before, n::samples)),
             after = reverse(slice(samples, axis(2), -n::after - 1, -1), axis(2));
  return concat(axis(2), before, samples, after);
}

/// The magnitudes of the windows' frequencies: [B, T, n] -> [B, T, frames, 129].
constexpr expr spectrum(expr x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  using n = silero_vad_sizes;
  const reported_at here(x, at);
  const expr parts =
      conv1d(unsqueeze(x, 3), "stft_conv", 2 * n::bins, n::window, {.stride = n::hop, .bias = false});
  const auto [real, imaginary] = split<2>(parts);
  return sqrt(real * real + imaginary * imaginary);
}

/// The probability that somebody speaks in a chunk: samples [B, T, 512] within +-1, T chunks in a row -> [B,
/// T].
constexpr expr speech_probability(expr samples, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  using n = silero_vad_sizes;
  const reported_at here(samples, at);
  const auto layer = [](expr x, const char* name, int out, int stride) {
    return relu(conv1d(x, name, out, 3, {.stride = stride, .padding = 1}));
  };
  expr x = layer(spectrum(with_surroundings(samples)), "conv1", 128, 1);
  x = layer(layer(layer(x, "conv2", 64, 2), "conv3", 64, 2), "conv4", n::hidden, 1);
  const dim batch = samples.size(0), chunks = samples.size(1);
  const expr h = lstm(reshape(x, {batch, chunks, n::hidden}), "lstm_cell", n::hidden);
  return reshape(sigmoid(conv1d(relu(h), "final_conv", 1, 1)), {batch, chunks});
}

inline constexpr auto silero_vad_names = std::to_array<name_rule>({
    {"lstm_cell.weight_ih_l0", "lstm_cell.weight_ih"},
    {"lstm_cell.weight_hh_l0", "lstm_cell.weight_hh"},
    {"lstm_cell.bias_ih_l0", "lstm_cell.bias_ih"},
    {"lstm_cell.bias_hh_l0", "lstm_cell.bias_hh"},
});

/// samples [B, T, 512] -> probability [B, T]. Streamed along T, chunk by chunk.
inline constexpr auto silero_vad = model(
    "silero_vad",
    [](graph& g) {
      g.output("probability",
               speech_probability(g.input<f32>("samples", {"B", "T", silero_vad_sizes::samples})));
    },
    silero_vad_names);

} // namespace fovea::models
