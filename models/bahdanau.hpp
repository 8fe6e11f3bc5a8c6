#pragma once

// "Neural Machine Translation by Jointly Learning to Align and Translate" (Bahdanau et al. 2015, appendix A):
// an encoder of gated units reads both ways, the state before scores each of its outputs by a network, the
// context enters recurrence and readout, words are read out by maxout.

#include <fovea/models/attention_decoder.hpp>

namespace fovea::models {

struct bahdanau_config {
  int source_vocab, target_vocab, width, hidden, alignment, maxout;
  bool readout_previous = false; // the state before the step is read out, as in the paper's appendix
  double dropout = 0;            // of word vectors, and of what words are read from, while training
};

constexpr attention_decoder_config attention_decoder_of(bahdanau_config c) {
  return {.source_vocab = c.source_vocab,
          .target_vocab = c.target_vocab,
          .width = c.width,
          .hidden = c.hidden,
          .cell = cell_kind::gru,
          .both = true,
          .start = start_state::backward,
          .alignment = alignment::additive,
          .alignment_width = c.alignment,
          .previous_state = true,
          .context_in_recurrence = true,
          .readout = readout::maxout,
          .maxout = c.maxout,
          .readout_previous = c.readout_previous,
          .dropout = c.dropout};
}

/// The paper's symbols.
inline constexpr auto bahdanau_names = std::to_array<name_rule>({
    {"start.0.state.weight", "W_s.weight"},
    {"start.0.state.bias", "W_s.bias"},
    {"align.query.weight", "W_a.weight"},
    {"align.key.weight", "U_a.weight"},
    {"align.score.weight", "v_a.weight"},
    {"decoder.0.cell.weight_ih", "decoder.weight_ih"},
    {"decoder.0.cell.weight_hh", "decoder.weight_hh"},
    {"decoder.0.cell.bias_ih", "decoder.bias_ih"},
    {"decoder.0.cell.bias_hh", "decoder.bias_hh"},
    {"readout.state.weight", "U_o.weight"},
    {"readout.state.bias", "U_o.bias"},
    {"readout.word.weight", "V_o.weight"},
    {"readout.context.weight", "C_o.weight"},
    {"scores.weight", "W_o.weight"},
    {"scores.bias", "W_o.bias"},
});

/// Inputs and outputs: declare_attention_decoder.
template <bahdanau_config c>
inline constexpr auto bahdanau = model(
    "bahdanau", [](graph& g) { declare_attention_decoder<attention_decoder_of(c)>(g); }, bahdanau_names);

/// Inputs and output: declare_attention_decoder_loss.
template <bahdanau_config c>
inline constexpr auto bahdanau_loss = model(
    "bahdanau_loss", [](graph& g) { declare_attention_decoder_loss<attention_decoder_of(c)>(g); },
    bahdanau_names);

} // namespace fovea::models
