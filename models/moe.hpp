#pragma once

// What language models with mixtures of experts share: Llama's blocks, in which each token goes through a few
// of many feed-forward layers, those that a router gives the largest weights (Shazeer et al. 2017, section 2).

#include <fovea/models/llama.hpp>

namespace fovea::models {

struct moe_config {
  llama_config decoder; // inner: of each expert
  int experts, active;  // so many, of which each token goes through so many
  bool normalised;      // the weights of a token's experts are divided by their sum
};

/// The experts of each token, weighed by the router: x [B, T, width] keeps its shape.
constexpr expr moe_feed_forward(expr x, moe_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr gates = softmax(linear(x, "mlp.router", c.experts, {.bias = false}));
  return experts(x, gates, "mlp.experts", c.decoder.inner, {.active = c.active, .normalised = c.normalised});
}

/// One block: attention, then the experts, each normalised before and added to its input.
constexpr expr moe_block(expr x, moe_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  x = x + llama_attention(rms_norm(x, "attn_norm", {.epsilon = c.decoder.epsilon}), c.decoder);
  return x + moe_feed_forward(rms_norm(x, "mlp_norm", {.epsilon = c.decoder.epsilon}), c);
}

/// Scores of the next token: tokens [B, T] of int32 -> [B, T, vocab].
constexpr expr moe_logits(expr tokens, moe_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr words = llama_words(tokens, c.decoder);
  const expr x =
      repeat("layers", c.decoder.layers, gather(words, tokens), [c](expr y) { return moe_block(y, c); });
  return llama_scores(rms_norm(x, "norm", {.epsilon = c.decoder.epsilon}), words, c.decoder);
}

/// How Hugging Face and llama.cpp (GGUF) name the parameters. Checkpoints keep each expert by itself;
/// transformers 5 has all in one, gate and up together; llama.cpp has three of all.
template <moe_config c>
inline constexpr auto moe_names = [] {
  constexpr int inner = c.decoder.inner;
  using naming::flattened, naming::joined, naming::transposed;
  return naming::together(
      std::to_array<name_rule>({
          {"layers.*.mlp.router.weight", "layers.*.mlp.gate.weight"},
          {"layers.*.mlp.experts.gate.weight", "layers.*.mlp.experts.{n}.gate_proj.weight", joined},
          {"layers.*.mlp.experts.up.weight", "layers.*.mlp.experts.{n}.up_proj.weight", joined},
          {"layers.*.mlp.experts.down.weight", "layers.*.mlp.experts.{n}.down_proj.weight", joined},
          {"layers.*.mlp.experts.gate.weight", "layers.*.mlp.experts.gate_up_proj",
           transposed | naming::columns(0, inner) | transposed | flattened},
          {"layers.*.mlp.experts.up.weight", "layers.*.mlp.experts.gate_up_proj",
           transposed | naming::columns(inner, 2 * inner) | transposed | flattened},
          {"layers.*.mlp.experts.down.weight", "layers.*.mlp.experts.down_proj", flattened},

          {"layers.*.mlp.router.weight", "blk.*.ffn_gate_inp.weight"},
          {"layers.*.mlp.experts.gate.weight", "blk.*.ffn_gate_exps.weight", flattened},
          {"layers.*.mlp.experts.up.weight", "blk.*.ffn_up_exps.weight", flattened},
          {"layers.*.mlp.experts.down.weight", "blk.*.ffn_down_exps.weight", flattened},
      }),
      llama_names_of_transformers<c.decoder>, llama_names_of_gguf<c.decoder>);
}();

} // namespace fovea::models
