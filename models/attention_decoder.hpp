#pragma once

// Encoder-decoders with attention, as free choices: what is attended and how the decoder starts, what scores,
// where the context enters, how words are read out. The encoder is recurrent, or any other whose outputs the
// decoder is given. Bahdanau's and Luong's models are two settings (models/bahdanau.hpp, models/luong.hpp).

#include <fovea/models/decoder_start.hpp>

namespace fovea::models {

/// How a decoder state and an encoder output are compared.
enum class alignment : std::uint8_t { dot, scaled_dot, general, additive, concatenated };
/// What the scores of words are made of: the state; tanh(W [context; state]); [context; state]; or the larger
/// of each two features of U state + V word + C context (maxout).
enum class readout : std::uint8_t { state, attentional, joined, maxout };

struct attention_decoder_config {
  int source_vocab, target_vocab, width, hidden; // width: of a word vector
  cell_kind cell = cell_kind::lstm;              // of encoder and decoder
  int layers = 1;                                // of the decoder
  int encoder_layers = 0;                        // 0: as many
  bool both = false;                             // the encoder reads both ways
  int attended_layer = -1;                       // whose outputs are attended; -1: the last
  start_state start = start_state::forward;      // from the encoder's uppermost layers
  models::alignment alignment = models::alignment::general;
  int alignment_width = 0;            // of the hidden layer of `additive` and `concatenated`
  bool previous_state = false;        // the state before the step scores, not the one after it
  bool context_in_recurrence = false; // the cell reads [word; context]; with `previous_state`
  bool input_feeding = false;         // the cell reads [word; the attentional vector before]
  models::readout readout = models::readout::attentional;
  int maxout = 0;                   // features of the maxout
  bool readout_previous = false;    // the state before the step is read out (Bahdanau's appendix)
  attention_mode::kind mode = soft; // or hard, local_m (step t looks around word t), local_p
  int half_window = 0;              // of a local one
  int local_width = 0;              // of the hidden layer that predicts where to look, of local_p
  double dropout = 0;               // of word vectors, and of what words are read from, while training
};

/// What a decoder is given: what it attends to [B, S, any width], and the states that its layers start from
/// (none: zeros).
struct attention_memory {
  expr attended;
  recurrent_state start = {};
};

/// What an encoder-decoder gives, beside the scores of words: encoder outputs [B, S, ...], decoder states [B,
/// T, hidden], contexts, attentional vectors (where there are any), weights [B, T, S].
struct attention_decoder_values {
  expr encoded, states, contexts, attentional, weights, logits;
};

namespace attention_decoder_parts {

constexpr attention_score score_of(attention_decoder_config c) {
  switch (c.alignment) {
    case alignment::dot:
      return dot;
    case alignment::scaled_dot:
      return scaled_dot;
    case alignment::general:
      return general("align");
    case alignment::additive:
      return additive("align", c.alignment_width);
    case alignment::concatenated:
      return concatenated("align", c.alignment_width);
  }
  return {};
}

template <attention_decoder_config c>
constexpr const auto& word() {
  if constexpr (c.cell == cell_kind::gru)
    return gru;
  else if constexpr (c.cell == cell_kind::lstm)
    return lstm;
  else if constexpr (c.cell == cell_kind::elman)
    return elman;
  else
    return elman_relu;
}

/// By `step` [B], the number of the step.
constexpr attention_mode mode_of(attention_decoder_config c, expr step, expr lengths) {
  switch (c.mode) {
    case attention_mode::kind::local_m:
      return local_m(c.half_window, unsqueeze(step, 1));
    case attention_mode::kind::local_p:
      return local_p("local", c.local_width, c.half_window, lengths);
    default:
      return {c.mode};
  }
}

/// The context [B, encoder width] for a state [B, hidden], and the weights [B, S].
template <attention_decoder_config c>
constexpr std::array<expr, 2> attended(expr state, expr step, expr encoded, expr lengths) {
  const expr q = unsqueeze(state, 1);
  const attention_options o{
      .score = score_of(c), .mask = padding(lengths), .mode = mode_of(c, step, lengths)};
  // The context is the sum of the outputs by the weights, so that both come of one comparison.
  const expr weights = reshape(attention_map(q, encoded, encoded, o), {encoded.size(0), 1, encoded.size(1)});
  return {reshape(matmul(weights, encoded), {encoded.size(0), encoded.size(2)}),
          reshape(weights, {encoded.size(0), encoded.size(1)})};
}

/// Scores of words from the states, contexts and words of any number of steps.
template <attention_decoder_config c>
constexpr expr scores_of(expr states, expr contexts, expr attentional, expr words) {
  switch (c.readout) {
    case readout::state:
      return linear(dropout(states, c.dropout), "scores", c.target_vocab);
    case readout::attentional:
      return linear(dropout(attentional, c.dropout), "scores", c.target_vocab);
    case readout::joined:
      return linear(dropout(concat(axis(-1), contexts, states), c.dropout), "scores", c.target_vocab);
    case readout::maxout: {
      const expr t = linear(states, "readout.state", 2 * c.maxout) +
                     linear(words, "readout.word", 2 * c.maxout, {.bias = false}) +
                     linear(contexts, "readout.context", 2 * c.maxout, {.bias = false});
      const expr largest = max_over(reshape(t, {t.size(0), t.size(1), c.maxout, 2}), axis(-1));
      return linear(dropout(largest, c.dropout), "scores", c.target_vocab);
    }
  }
  return {};
}

} // namespace attention_decoder_parts

/// The recurrent encoder: source [B, S] of int32, of which lengths [B] count.
constexpr attention_memory attention_encoder(expr source, expr lengths, attention_decoder_config c,
                                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(source, at);
  const recurrent_result read = recurrent(
      c.cell, dropout(embedding(source, "src_embedding", c.source_vocab, c.width), c.dropout), "encoder",
      c.hidden, {.layers = c.encoder_layers == 0 ? c.layers : c.encoder_layers, .lengths = lengths}, c.both);
  return {c.attended_layer < 0 ? read.output : read.layers[static_cast<std::size_t>(c.attended_layer)],
          decoder_start(c.start, read.state, c.both, c.layers, c.hidden)};
}

/// The decoder: memory [B, S, any width], of which lengths [B] count, and target [B, T] of int32, which
/// begins with <s>.
template <attention_decoder_config c>
constexpr attention_decoder_values attention_decoder(const attention_memory& memory, expr lengths,
                                                     expr target,
                                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  namespace parts = attention_decoder_parts;
  static_assert(!c.context_in_recurrence || c.previous_state,
                "a context that the cell reads comes from the state before");
  static_assert(!c.input_feeding || c.readout == readout::attentional,
                "what input feeding feeds is the attentional vector");
  const reported_at here(target, at);
  constexpr const auto& cell = parts::word<c>();
  using cell_states = decltype(cell.step(target, {}, "", 0));
  constexpr std::size_t each = std::tuple_size_v<cell_states>, layers = static_cast<std::size_t>(c.layers),
                        carried = each * layers + (c.input_feeding ? 1 : 0);

  const expr encoded = memory.attended;
  std::array<expr, carried> start{};
  start.fill(zeros(target, {target.size(0), c.hidden}));
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const auto put = [&](std::size_t i, expr state) {
      if (state.owner != nullptr) start[each * layer + i] = state;
    };
    put(0, memory.start.hidden[layer]);
    if constexpr (each > 1) put(1, memory.start.cell[layer]);
  }

  const expr words = dropout(embedding(target, "tgt_embedding", c.target_vocab, c.width), c.dropout);
  const expr steps = broadcast(range(target, target.size(1)), {target.size(0), target.size(1)});
  const auto decoded =
      scan(std::array{words, steps}, start, [&](std::array<expr, 2> now, std::array<expr, carried> state) {
        const expr word = now[0], step = now[1];
        const expr before = state[each * (layers - 1)];
        std::array<expr, 2> seen{};
        if constexpr (c.previous_state) seen = parts::attended<c>(before, step, encoded, lengths);
        expr x = word;
        if constexpr (c.context_in_recurrence) x = concat(axis(-1), word, seen[0]);
        if constexpr (c.input_feeding) x = concat(axis(-1), word, state[carried - 1]);
        for (std::size_t layer = 0; layer < layers; ++layer) {
          const auto names = scope(x, "decoder", static_cast<int>(layer));
          cell_states one{};
          for (std::size_t i = 0; i < each; ++i) one[i] = state[each * layer + i];
          one = cell.step(x, one, "cell", c.hidden);
          for (std::size_t i = 0; i < each; ++i) state[each * layer + i] = one[i];
          x = one[0];
        }
        if constexpr (!c.previous_state) seen = parts::attended<c>(x, step, encoded, lengths);
        expr attentional = x;
        if constexpr (c.readout == readout::attentional)
          attentional = tanh(linear(concat(axis(-1), seen[0], x), "combine", c.hidden, {.bias = false}));
        if constexpr (c.input_feeding) state[carried - 1] = attentional;
        return scan_step{std::array{x, c.readout_previous ? before : x, seen[0], seen[1], attentional},
                         state};
      });
  const auto& [states, read, contexts, weights, attentional] = decoded.output;
  return {encoded,     states,  contexts,
          attentional, weights, parts::scores_of<c>(read, contexts, attentional, words)};
}

/// The whole: source [B, S], target [B, T] of int32, lengths [B] of the sources.
template <attention_decoder_config c>
constexpr attention_decoder_values attention_decoder(expr source, expr lengths, expr target,
                                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(c.attended_layer < (c.encoder_layers == 0 ? c.layers : c.encoder_layers),
                "the layer that is attended is one of the encoder's");
  return attention_decoder<c>(attention_encoder(source, lengths, c, at), lengths, target, at);
}

/// Declares it as a model: source [B, S], target [B, T] of int32, lengths [B] -> logits [B, T, target_vocab],
/// the alignment: weights [B, T, S].
template <attention_decoder_config c>
constexpr void declare_attention_decoder(graph& g) {
  const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"});
  const attention_decoder_values all =
      attention_decoder<c>(source, lengths, g.input<i32>("target", {"B", "T"}));
  g.output("logits", all.logits);
  g.output("weights", all.weights);
}

/// The same inputs and targets [B, T] of int32, 0 ignored -> the mean negative log likelihood of a word, in
/// nats.
template <attention_decoder_config c>
constexpr void declare_attention_decoder_loss(graph& g) {
  const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"});
  const expr logits = attention_decoder<c>(source, lengths, g.input<i32>("target", {"B", "T"})).logits;
  g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"}), {.ignore = 0}));
}

} // namespace fovea::models
