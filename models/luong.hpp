#pragma once

// "Effective Approaches to Attention-based Neural Machine Translation" (Luong et al. 2015): a stack of LSTMs,
// the state after the step scores by a product, the attentional vector tanh(W [c; h]) is read out and, with
// input feeding, read again at the next step.

#include <fovea/models/attention_decoder.hpp>

namespace fovea::models {

struct luong_config {
  int source_vocab, target_vocab, width, hidden;
  int layers = 1;
  bool input_feeding = true;
  models::alignment alignment = models::alignment::general; // or dot, concatenated
  int alignment_width = 0;                                  // of `concatenated`
  attention_mode::kind mode = soft;                         // global; or local_m, local_p (section 3.2)
  int half_window = 10;                                     // of a local one, as in the paper
  int local_width = 0; // of the hidden layer that predicts where to look, of local_p
  double dropout = 0;  // of word vectors, and of what words are read from, while training
};

constexpr attention_decoder_config attention_decoder_of(luong_config c) {
  return {.source_vocab = c.source_vocab,
          .target_vocab = c.target_vocab,
          .width = c.width,
          .hidden = c.hidden,
          .layers = c.layers,
          .alignment = c.alignment,
          .alignment_width = c.alignment_width,
          .input_feeding = c.input_feeding,
          .mode = c.mode,
          .half_window = c.half_window,
          .local_width = c.local_width,
          .dropout = c.dropout};
}

/// The paper's symbols, and PyTorch's names of a stack.
inline constexpr auto luong_names = std::to_array<name_rule>({
    {"align.weight", "W_a.weight"},
    {"decoder.*.cell.weight_ih", "decoder.weight_ih_l*"},
    {"decoder.*.cell.weight_hh", "decoder.weight_hh_l*"},
    {"decoder.*.cell.bias_ih", "decoder.bias_ih_l*"},
    {"decoder.*.cell.bias_hh", "decoder.bias_hh_l*"},
    {"combine.weight", "W_c.weight"},
    {"local.hidden.weight", "W_p.weight"},
    {"local.score.weight", "v_p.weight"},
    {"scores.weight", "W_s.weight"},
    {"scores.bias", "W_s.bias"},
});

/// Inputs and outputs: declare_attention_decoder.
template <luong_config c>
inline constexpr auto luong = model(
    "luong", [](graph& g) { declare_attention_decoder<attention_decoder_of(c)>(g); }, luong_names);

/// Inputs and output: declare_attention_decoder_loss.
template <luong_config c>
inline constexpr auto luong_loss = model(
    "luong_loss", [](graph& g) { declare_attention_decoder_loss<attention_decoder_of(c)>(g); }, luong_names);

} // namespace fovea::models
