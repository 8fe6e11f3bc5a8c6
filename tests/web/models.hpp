#pragma once

#include <fovea/dsl.hpp>
#include <fovea/models/bert.hpp>

/// What golden cases are of, as modules for JavaScript.
namespace web {

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr fovea::models::bert_config tiny{
    .layers = 2, .heads = 4, .width = 32, .inner = 64, .vocab = 96, .context = 48};

inline constexpr auto recurrent = fovea::model("recurrent", [](fovea::graph& g) {
  const fovea::expr x = g.input<fovea::f32>("x", {B, T, 8}), h = g.input<fovea::f32>("h_0", {1, B, 16});
  g.output("y", fovea::gru(x, "rnn", 16, {.initial = fovea::states_of(h)}));
});

/// Large enough for threads to share its work, in a step of a stream, too.
inline constexpr auto wide = fovea::model("wide", [](fovea::graph& g) {
  const fovea::expr x = g.input<fovea::f32>("x", {B, T, 192});
  g.output("y", fovea::linear(fovea::gelu(fovea::linear(fovea::gru(x, "rnn", 192), "up", 768)), "down", 192));
});

} // namespace web
