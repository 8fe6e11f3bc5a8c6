#pragma once

#include <fovea/models/rnn.hpp>

namespace fovea::models {

/// What of an encoder's last states each layer of a decoder starts from: its forward direction's, as they
/// are; tanh(W h + b) of its backward one's, which ends at the first word (Bahdanau et al. 2015); the same of
/// both side by side; their sum; nothing.
enum class start_state : std::uint8_t { forward, backward, joined, added, zeros };

/// The states that the decoder's `layers` start from, by the last ones of the encoder's uppermost layers,
/// which read both ways or one. Makes start.0.state, start.1.state, ... where there is a map. Errors: layers
/// or directions that the encoder does not have.
constexpr recurrent_state decoder_start(start_state how, const recurrent_state& last, bool both, int layers,
                                        int hidden, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  recurrent_state made;
  if (how == start_state::zeros || last.count == 0) return made;
  const int directions = both ? 2 : 1, below = last.count / directions - layers;
  graph& g = *last.hidden[0].owner;
  if (below < 0)
    g.fail(322, at, "decoder_start: ", layers,
           " layers of a decoder start from as many of its encoder, found ", last.count / directions,
           "; start_state::zeros needs none");
  if (!both && (how == start_state::joined || how == start_state::added))
    g.fail(323, at, "decoder_start: both directions are wanted of an encoder that reads one way");
  if (!g.error.empty()) return made;
  const reported_at here(last.hidden[0], at);
  made.count = layers;
  for (int layer = 0; layer < layers; ++layer) {
    const auto to = static_cast<std::size_t>(layer),
               forward = static_cast<std::size_t>((below + layer) * directions),
               backward = forward + static_cast<std::size_t>(directions - 1);
    const auto names = scope(last.hidden[0], "start", layer);
    const auto projected = [&](expr x) { return tanh(linear(x, "state", hidden)); };
    const bool has_cell = last.cell[forward].owner != nullptr;
    switch (how) {
      case start_state::backward:
        made.hidden[to] = projected(last.hidden[backward]);
        break;
      case start_state::joined:
        made.hidden[to] = projected(concat(axis(-1), last.hidden[forward], last.hidden[backward]));
        break;
      case start_state::added:
        made.hidden[to] = last.hidden[forward] + last.hidden[backward];
        if (has_cell) made.cell[to] = last.cell[forward] + last.cell[backward];
        break;
      default:
        made.hidden[to] = last.hidden[forward], made.cell[to] = last.cell[forward];
    }
  }
  return made;
}

} // namespace fovea::models
