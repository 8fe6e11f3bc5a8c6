#pragma once

// Sequence to sequence by one vector (Sutskever et al. 2014; Cho et al. 2014): an encoder reads the source,
// what it leaves is the context, a decoder writes the target. The papers' forms are settings; without an
// encoder, one language model reads `source </s> target </s>` (models/rnn.hpp: the completion form).

#include <fovea/models/decoder_start.hpp>

namespace fovea::models {

/// What of the encoder's outputs is the context.
enum class summary : std::uint8_t { final_state, mean, largest };

struct seq2seq_config {
  int source_vocab, target_vocab, width, hidden; // width: of a word vector
  cell_kind cell = cell_kind::lstm;
  int layers = 1;
  bool reverse_source = false; // the encoder reads from the last word to the first
  summary context = summary::final_state;
  bool projected_start = false; // the decoder starts from tanh(V c + b), not from the encoder's states
  bool every_step = false;      // the context stands beside each word that the decoder reads
  bool full_readout = false;    // scores are of [state; word; context], not of the state alone
  bool both = false;            // the encoder reads both ways
  int encoder_layers = 0;       // 0: as many as the decoder
  start_state start = start_state::forward; // what of the encoder's states the decoder starts from
};

/// "Sequence to Sequence Learning with Neural Networks": states to states, the source reversed.
constexpr seq2seq_config sutskever(int source_vocab, int target_vocab, int width, int hidden, int layers) {
  return {.source_vocab = source_vocab,
          .target_vocab = target_vocab,
          .width = width,
          .hidden = hidden,
          .layers = layers,
          .reverse_source = true};
}
/// "Learning Phrase Representations using RNN Encoder-Decoder": the context at every step and in the readout.
constexpr seq2seq_config cho(int source_vocab, int target_vocab, int width, int hidden) {
  return {.source_vocab = source_vocab,
          .target_vocab = target_vocab,
          .width = width,
          .hidden = hidden,
          .cell = cell_kind::gru,
          .projected_start = true,
          .every_step = true,
          .full_readout = true};
}

/// source [B, S] of int32, lengths [B] -> outputs [B, S, hidden] ([B, S, 2 hidden] read both ways) and the
/// last states.
constexpr recurrent_result seq2seq_encoder(expr source, expr lengths, seq2seq_config c,
                                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(source, at);
  return recurrent(c.cell, embedding(source, "src_embedding", c.source_vocab, c.width), "encoder", c.hidden,
                   {.layers = c.encoder_layers == 0 ? c.layers : c.encoder_layers,
                    .reverse = c.reverse_source,
                    .lengths = lengths},
                   c.both);
}

/// What the encoder leaves, as one vector [B, hidden], or [B, 2 hidden] read both ways.
constexpr expr seq2seq_context(const recurrent_result& encoded, expr lengths, seq2seq_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(encoded.output, at);
  const expr h = encoded.output;
  switch (c.context) {
    case summary::final_state: {
      const auto& [count, hidden, cell] = encoded.state;
      const auto last = static_cast<std::size_t>(count - 1);
      return c.both ? concat(axis(-1), hidden[last - 1], hidden[last]) : hidden[last];
    }
    case summary::mean: // outputs behind the end are zero
      return sum(h, axis(1)) / unsqueeze(to_float(lengths), 1);
    case summary::largest:
      return max_over(where(unsqueeze(inside_lengths(h, lengths), 2), h, -3e38), axis(1));
  }
  return {};
}

/// Scores of the next word: target [B, T] of int32 (shifted: it begins with <s>), any context [B, C], the
/// states to start from (none: zeros) -> decoder states [B, T, hidden] and scores [B, T, vocab].
struct seq2seq_decoded {
  expr states, logits;
};
constexpr seq2seq_decoded seq2seq_decoder(expr target, expr context, const recurrent_state& start,
                                          seq2seq_config c,
                                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(target, at);
  const expr words = embedding(target, "tgt_embedding", c.target_vocab, c.width);
  const expr beside = broadcast(unsqueeze(context, 1), {target.size(0), target.size(1), context.size(1)});
  const recurrent_result y = recurrent(c.cell, c.every_step ? concat(axis(-1), words, beside) : words,
                                       "decoder", c.hidden, {.layers = c.layers, .initial = start});
  const expr seen = c.full_readout ? concat(axis(-1), y.output, words, beside) : y.output;
  return {y, linear(seen, "linear", c.target_vocab)};
}

/// The whole: source [B, S], target [B, T] of int32, lengths [B] of the sources.
struct seq2seq_values {
  recurrent_result encoded;
  expr context;
  seq2seq_decoded decoded;
};
constexpr seq2seq_values seq2seq_all(expr source, expr lengths, expr target, seq2seq_config c,
                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(source, at);
  const recurrent_result encoded = seq2seq_encoder(source, lengths, c);
  const expr context = seq2seq_context(encoded, lengths, c);
  recurrent_state start;
  if (!c.projected_start) {
    start = decoder_start(c.start, encoded.state, c.both, c.layers, c.hidden);
  } else {
    start.count = c.layers;
    for (int i = 0; i < c.layers; ++i)
      start.hidden[static_cast<std::size_t>(i)] = tanh(linear(context, "init", c.hidden));
  }
  return {encoded, context, seq2seq_decoder(target, context, start, c)};
}

/// PyTorch's names; its cells by themselves (`GRUCell`) have no layer in theirs.
inline constexpr auto seq2seq_names = std::to_array<name_rule>({
    {"decoder.weight_ih_l0", "decoder.weight_ih"},
    {"decoder.weight_hh_l0", "decoder.weight_hh"},
    {"decoder.bias_ih_l0", "decoder.bias_ih"},
    {"decoder.bias_hh_l0", "decoder.bias_hh"},
});

/// source [B, S], target [B, T] of int32, lengths [B] -> logits [B, T, target_vocab].
template <seq2seq_config c>
inline constexpr auto seq2seq = model(
    "seq2seq",
    [](graph& g) {
      const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"});
      g.output("logits", seq2seq_all(source, lengths, g.input<i32>("target", {"B", "T"}), c).decoded.logits);
    },
    seq2seq_names);

/// The same and targets [B, T] of int32, 0 ignored -> the mean negative log likelihood of a word, in nats.
template <seq2seq_config c>
inline constexpr auto seq2seq_loss = model(
    "seq2seq_loss",
    [](graph& g) {
      const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"});
      const expr logits = seq2seq_all(source, lengths, g.input<i32>("target", {"B", "T"}), c).decoded.logits;
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"}), {.ignore = 0}));
    },
    seq2seq_names);

} // namespace fovea::models
