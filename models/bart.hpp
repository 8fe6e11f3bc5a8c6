#pragma once

// BART: the Transformer with GELU and learned positions, whose embeddings are normalised and score the words at the
// end (Lewis et al. 2020, section 2). Loads Hugging Face checkpoints of BartForConditionalGeneration unchanged.

#include <fovea/models/transformer.hpp>

namespace fovea::models {

struct bart_config {
  int layers; // of the encoder, and of the decoder
  transformer_block_config block;
  int vocab, context;
};

/// facebook/bart-base: 139 million parameters.
inline constexpr bart_config bart_base{
    .layers = 6,
    .block = {.heads = 12, .width = 768, .inner = 3072, .activation = activation::gelu},
    .vocab = 50265,
    .context = 1024};

/// The table of token vectors of both stacks, [vocab, width].
constexpr expr bart_words(expr tokens, int vocab, int width) {
  return parameter(tokens, "words", {vocab, width}, init::normal(0.02));
}

/// Both stacks as the Transformer has them, without a norm at their end.
constexpr transformer_config bart_stacks(int layers, const transformer_block_config& block, int vocab) {
  return {
      .layers = layers, .block = block, .source_vocab = vocab, .target_vocab = vocab, .final_norm = false};
}

/// Vectors of tokens [B, T] and their positions, normalised: [B, T, width]. Row 2 of the table is the first position's.
constexpr expr bart_embeddings(expr words, expr tokens, bart_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const int width = c.block.width;
  const expr x =
      gather(words, tokens) +
      learned_positions(tokens, "positions", {.context = c.context + 2, .width = width, .offset = 2});
  return dropout(layer_norm(x, "embed_norm", {.epsilon = c.block.epsilon}), c.block.dropout);
}

/// The encoder: [B, S, width] for each of the source's tokens [B, S], the first lengths [B] of which count.
constexpr expr bart_encoder(expr words, expr source, expr lengths, bart_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(source, at);
  expr x;
  {
    const scope inside(source, "encoder");
    x = bart_embeddings(words, source, c);
  }
  return encoder_stack(x, lengths, bart_stacks(c.layers, c.block, c.vocab));
}

/// The decoder: tokens [B, T] written so far and memory [B, S, width], of which lengths [B] count -> [B, T, width].
constexpr expr bart_decoder(expr words, expr target, expr memory, expr lengths, bart_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(target, at);
  expr x;
  {
    const scope inside(target, "decoder");
    x = bart_embeddings(words, target, c);
  }
  return decoder_stack(x, memory, lengths, bart_stacks(c.layers, c.block, c.vocab));
}

/// Scores of the next token, by the table of token vectors and a number for each, which is not trained: [B, T, width] ->
/// [B, T, vocab].
constexpr expr bart_scores(expr x, expr words, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return matmul(x, transpose(words)) +
         stop_gradient(parameter(x, "score_bias", {1, words.size(0)}, init::zeros()));
}

/// How Hugging Face names the parameters of both stacks' blocks and what they share.
inline constexpr auto bart_block_names = std::to_array<name_rule>({
    {"", "model.", naming::optional_prefix},
    {"words", "shared.weight"},
    {"words", "encoder.embed_tokens.weight", naming::tied},
    {"words", "decoder.embed_tokens.weight", naming::tied},
    {"words", "lm_head.weight", naming::tied},
    {"score_bias", "final_logits_bias"},
    {"encoder.layers.*.self_attn.q.weight", "encoder.layers.*.self_attn.q_proj.weight"},
    {"encoder.layers.*.self_attn.q.bias", "encoder.layers.*.self_attn.q_proj.bias"},
    {"encoder.layers.*.self_attn.k.weight", "encoder.layers.*.self_attn.k_proj.weight"},
    {"encoder.layers.*.self_attn.k.bias", "encoder.layers.*.self_attn.k_proj.bias"},
    {"encoder.layers.*.self_attn.v.weight", "encoder.layers.*.self_attn.v_proj.weight"},
    {"encoder.layers.*.self_attn.v.bias", "encoder.layers.*.self_attn.v_proj.bias"},
    {"encoder.layers.*.norm1.weight", "encoder.layers.*.self_attn_layer_norm.weight"},
    {"encoder.layers.*.norm1.bias", "encoder.layers.*.self_attn_layer_norm.bias"},
    {"encoder.layers.*.linear1.weight", "encoder.layers.*.fc1.weight"},
    {"encoder.layers.*.linear1.bias", "encoder.layers.*.fc1.bias"},
    {"encoder.layers.*.linear2.weight", "encoder.layers.*.fc2.weight"},
    {"encoder.layers.*.linear2.bias", "encoder.layers.*.fc2.bias"},
    {"encoder.layers.*.norm2.weight", "encoder.layers.*.final_layer_norm.weight"},
    {"encoder.layers.*.norm2.bias", "encoder.layers.*.final_layer_norm.bias"},
    {"decoder.layers.*.self_attn.q.weight", "decoder.layers.*.self_attn.q_proj.weight"},
    {"decoder.layers.*.self_attn.q.bias", "decoder.layers.*.self_attn.q_proj.bias"},
    {"decoder.layers.*.self_attn.k.weight", "decoder.layers.*.self_attn.k_proj.weight"},
    {"decoder.layers.*.self_attn.k.bias", "decoder.layers.*.self_attn.k_proj.bias"},
    {"decoder.layers.*.self_attn.v.weight", "decoder.layers.*.self_attn.v_proj.weight"},
    {"decoder.layers.*.self_attn.v.bias", "decoder.layers.*.self_attn.v_proj.bias"},
    {"decoder.layers.*.norm1.weight", "decoder.layers.*.self_attn_layer_norm.weight"},
    {"decoder.layers.*.norm1.bias", "decoder.layers.*.self_attn_layer_norm.bias"},
    {"decoder.layers.*.multihead_attn.q.weight", "decoder.layers.*.encoder_attn.q_proj.weight"},
    {"decoder.layers.*.multihead_attn.q.bias", "decoder.layers.*.encoder_attn.q_proj.bias"},
    {"decoder.layers.*.multihead_attn.k.weight", "decoder.layers.*.encoder_attn.k_proj.weight"},
    {"decoder.layers.*.multihead_attn.k.bias", "decoder.layers.*.encoder_attn.k_proj.bias"},
    {"decoder.layers.*.multihead_attn.v.weight", "decoder.layers.*.encoder_attn.v_proj.weight"},
    {"decoder.layers.*.multihead_attn.v.bias", "decoder.layers.*.encoder_attn.v_proj.bias"},
    {"decoder.layers.*.multihead_attn.out_proj.weight", "decoder.layers.*.encoder_attn.out_proj.weight"},
    {"decoder.layers.*.multihead_attn.out_proj.bias", "decoder.layers.*.encoder_attn.out_proj.bias"},
    {"decoder.layers.*.norm2.weight", "decoder.layers.*.encoder_attn_layer_norm.weight"},
    {"decoder.layers.*.norm2.bias", "decoder.layers.*.encoder_attn_layer_norm.bias"},
    {"decoder.layers.*.linear1.weight", "decoder.layers.*.fc1.weight"},
    {"decoder.layers.*.linear1.bias", "decoder.layers.*.fc1.bias"},
    {"decoder.layers.*.linear2.weight", "decoder.layers.*.fc2.weight"},
    {"decoder.layers.*.linear2.bias", "decoder.layers.*.fc2.bias"},
    {"decoder.layers.*.norm3.weight", "decoder.layers.*.final_layer_norm.weight"},
    {"decoder.layers.*.norm3.bias", "decoder.layers.*.final_layer_norm.bias"},
});

/// The same, and what stands before the blocks.
inline constexpr auto bart_names = naming::together(
    bart_block_names, std::to_array<name_rule>({
                          {"encoder.positions.weight", "encoder.embed_positions.weight"},
                          {"encoder.embed_norm.weight", "encoder.layernorm_embedding.weight"},
                          {"encoder.embed_norm.bias", "encoder.layernorm_embedding.bias"},
                          {"decoder.positions.weight", "decoder.embed_positions.weight"},
                          {"decoder.embed_norm.weight", "decoder.layernorm_embedding.weight"},
                          {"decoder.embed_norm.bias", "decoder.layernorm_embedding.bias"},
                      }));

/// source_ids [B, S], source_lengths [B] and decoder_ids [B, T] of int32 -> memory [B, S, width] and logits
/// [B, T, vocab].
template <bart_config c>
inline constexpr auto bart = model(
    "bart",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = bart_words(source, c.vocab, c.block.width),
                 memory = bart_encoder(words, source, lengths, c);
      g.output("memory", memory);
      g.output("logits", bart_scores(bart_decoder(words, target, memory, lengths, c), words));
    },
    bart_names);

/// The same inputs and targets [B, T] of int32, -100 ignored -> the mean negative log likelihood of a token,
/// in nats.
template <bart_config c>
inline constexpr auto bart_loss = model(
    "bart_loss",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = bart_words(source, c.vocab, c.block.width),
                 memory = bart_encoder(words, source, lengths, c);
      const expr logits = bart_scores(bart_decoder(words, target, memory, lengths, c), words);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    bart_names);

} // namespace fovea::models
