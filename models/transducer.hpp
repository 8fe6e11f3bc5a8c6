#pragma once

// A transducer (Graves 2012): a recogniser that writes while it hears. An encoder makes frames of sound, a predictor reads
// the labels that have been said, and a joint network scores what is next at a frame: a label, or the blank, 0, that moves
// on. The encoder sees nothing later (He et al. 2019). The predictor remembers all labels, or the last few (Ghodsi et al.
// 2020, "RNN-transducer with stateless prediction network").

#include <fovea/models/rnn.hpp>

namespace fovea::models {

struct transducer_config {
  int features;  // of a frame of sound
  int vocab;     // the labels, the blank first
  int layers;    // of the encoder
  int hidden;    // of the encoder's and the predictor's state
  int joint;     // features of frames and predictions where they meet
  int width;     // of a label's vector
  int stack = 1; // frames of sound that make one
  cell_kind cell = cell_kind::lstm;
  int context = 0; // how many of the last labels the predictor sees; 0: all, by a state
};

/// sound [B, stack * T, features] -> [B, T, joint].
constexpr expr transducer_encoder(expr sound, transducer_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(sound, at);
  const scope inside(sound, "encoder");
  const expr stacked = reshape(sound, {sound.size(0), sound.size(1) / c.stack, c.stack * c.features});
  return linear(recurrent(c.cell, stacked, "rnn", c.hidden, {.layers = c.layers}), "out", c.joint);
}

/// Labels that have been said, the blank before them: [B, S] of int32 -> [B, S, joint].
constexpr expr transducer_predictor(expr labels, transducer_config c,
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(labels, at);
  const scope inside(labels, "predictor");
  const expr x = embedding(labels, "labels", c.vocab, c.width);
  const expr h = c.context == 0 ? expr(recurrent(c.cell, x, "rnn", c.hidden))
                                : relu(conv1d(x, "last", c.hidden, c.context, {.padding = causal}));
  return linear(h, "out", c.joint);
}

/// Scores of what is next: frames and predictions [..., joint] that broadcast -> [..., vocab].
constexpr expr transducer_joint(expr frames, expr predictions, transducer_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(frames, at);
  const scope inside(frames, "joint");
  return linear(tanh(frames + predictions), "out", c.vocab);
}

/// One file of weights has all three networks, of which each takes its own.
inline constexpr auto transducer_encoder_names =
    std::to_array<name_rule>({{"", "predictor.**", naming::ignored}, {"", "joint.**", naming::ignored}});
inline constexpr auto transducer_predictor_names =
    std::to_array<name_rule>({{"", "encoder.**", naming::ignored}, {"", "joint.**", naming::ignored}});
inline constexpr auto transducer_joint_names =
    std::to_array<name_rule>({{"", "encoder.**", naming::ignored}, {"", "predictor.**", naming::ignored}});

/// sound [B, stack * T, features] -> frames [B, T, joint].
template <transducer_config c>
inline constexpr auto transducer_frames = model(
    "transducer_frames",
    [](graph& g) {
      constexpr dim T{"T"};
      g.output("frames", transducer_encoder(g.input<f32>("sound", {"B", c.stack * T, c.features}), c));
    },
    transducer_encoder_names);

/// labels [B, S] of int32 -> predictions [B, S, joint].
template <transducer_config c>
inline constexpr auto transducer_predictions = model(
    "transducer_predictions",
    [](graph& g) {
      g.output("predictions", transducer_predictor(g.input<i32>("labels", {"B", "S"}), c));
    },
    transducer_predictor_names);

/// frames, predictions [B, joint] -> logits [B, vocab].
template <transducer_config c>
inline constexpr auto transducer_scores = model(
    "transducer_scores",
    [](graph& g) {
      const expr frames = g.input<f32>("frames", {"B", c.joint}),
                 predictions = g.input<f32>("predictions", {"B", c.joint});
      g.output("logits", transducer_joint(frames, predictions, c));
    },
    transducer_joint_names);

/// sound [B, stack * T, features], labels [B, S] of int32, blanks behind them, lengths [B], how many of the T frames of
/// each row count -> the mean over the rows of the negative log likelihood of their labels, in nats. Its parameters are
/// those of the three models above.
template <transducer_config c>
inline constexpr auto transducer_loss = model("transducer_loss", [](graph& g) {
  constexpr dim T{"T"};
  const expr frames = transducer_encoder(g.input<f32>("sound", {"B", c.stack * T, c.features}), c);
  const expr labels = g.input<i32>("labels", {"B", "S"});
  const expr predictions = transducer_predictor(pad(labels, axis(1), 1, 0), c);
  const expr logits = transducer_joint(unsqueeze(frames, 2), unsqueeze(predictions, 1), c);
  g.output("loss", rnnt_loss(logits, labels, {.lengths = g.input<i32>("lengths", {"B"})}));
});

} // namespace fovea::models
