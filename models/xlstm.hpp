#pragma once

// xLSTM of matrix memories alone: a language model whose heads each keep a matrix, written by exponential gates (Beck et
// al. 2024, "xLSTM: Extended Long Short-Term Memory"; Beck et al. 2025, "xLSTM 7B"). Loads Hugging Face checkpoints of
// xLSTMForCausalLM unchanged.

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct xlstm_config {
  int layers, heads, width, inner, vocab;
  int key_width; // of all heads together: half of the width in those published
  double gate_cap = 15, logit_cap = 30;
  double epsilon = 1e-6;
};

/// NX-AI/xLSTM-7b: 6.9 billion parameters.
inline constexpr xlstm_config xlstm_7b{
    .layers = 32, .heads = 8, .width = 4096, .inner = 10944, .vocab = 50304, .key_width = 2048};

/// Keeps x within +-cap.
constexpr expr soft_capped(expr x, double cap) { return cap * tanh(x / cap); }

/// The recurrence of the matrix memory (Beck et al. 2024, equations 19 to 27): q and k [B, T, heads, key width], v
/// [B, T, heads, value width], the gates before their exponential and sigmoid, write and keep [B, T, heads] -> what each
/// head reads, [B, T, heads, value width]. The third state keeps the exponentials in range.
constexpr expr matrix_memory(expr q, expr k, expr v, expr write, expr keep, double epsilon,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(q, at);
  const dim rows = q.size(0), heads = q.size(2), keys = q.size(3), values = v.size(3);
  const expr scaled = q / sqrt(constant(q, static_cast<double>(keys.number())));
  const std::array nothing{zeros(q, {rows, heads, keys, values}), zeros(q, {rows, heads, keys}),
                           zeros(q, {rows, heads})};
  return scan(std::array{scaled, k, v, write, -softplus(-keep)}, nothing,
              [epsilon](std::array<expr, 5> now, std::array<expr, 3> state) {
                const auto [query, key, value, in, kept] = now;
                const auto [memory, sum_of_keys, largest] = state;
                const expr next_largest = max(kept + largest, in);
                const expr keeps = unsqueeze(exp(kept + largest - next_largest), 2);
                const expr written = unsqueeze(exp(in - next_largest), 2) * key;
                const expr next = unsqueeze(keeps, 3) * memory + unsqueeze(written, 3) * unsqueeze(value, 2);
                const expr next_sum = keeps * sum_of_keys + written;
                const expr least = max(abs(sum(query * next_sum, axis(2))), exp(-next_largest)) + epsilon;
                const expr read = sum(unsqueeze(query, 3) * next, axis(2)) / unsqueeze(least, 2);
                return scan_step{read, std::array{next, next_sum, next_largest}};
              })
      .output;
}

/// Each head's x [B, T, heads, d] less its mean, over its standard deviation, times a weight for each feature:
/// [B, T, heads * d].
constexpr expr head_layer_norm(expr x, double epsilon) {
  const dim width = x.size(2) * x.size(3);
  const expr normed = (x - mean(x, axis(3), {.keep = true})) /
                      sqrt(variance(x, axis(3), {.keep = true, .correction = 0}) + epsilon);
  return reshape(normed, {x.size(0), x.size(1), width}) *
         parameter(x, "multihead_norm.weight", {width}, init::ones());
}

/// Queries, keys, values and gates of x [B, T, width], the memory, and a gate before the map back: keeps the shape.
constexpr expr mlstm_layer(expr x, xlstm_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto by_head = [&](const char* name, int width) {
    return reshape(linear(x, name, width, {.bias = false}), {x.size(0), x.size(1), c.heads, width / c.heads});
  };
  const auto gate = [&](const char* name) { return soft_capped(linear(x, name, c.heads), c.gate_cap); };
  const expr q = by_head("q", c.key_width), k = by_head("k", c.key_width), v = by_head("v", c.width);
  const expr read = matrix_memory(q, k, v, gate("igate_preact"), gate("fgate_preact"), c.epsilon);
  const expr shown = sigmoid(linear(x, "ogate_preact", c.width, {.bias = false}));
  return linear(shown * head_layer_norm(read, c.epsilon), "out_proj", c.width, {.bias = false});
}

/// One block: the memory, then a gated feed-forward layer, each normalised before and added to its input. x
/// [B, T, width] keeps its shape.
constexpr expr xlstm_block(expr x, xlstm_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h = rms_norm(x, "norm_mlstm", {.epsilon = c.epsilon});
  {
    const scope inside(x, "mlstm_layer");
    x = x + mlstm_layer(h, c);
  }
  const expr y = rms_norm(x, "norm_ffn", {.epsilon = c.epsilon});
  const scope inside(x, "ffn");
  const expr up = silu(linear(y, "proj_up_gate", c.inner, {.bias = false})) *
                  linear(y, "proj_up", c.inner, {.bias = false});
  return x + linear(up, "proj_down", c.width, {.bias = false});
}

/// Scores of the next token, x being normalised: [B, T, width] -> [B, T, vocab].
constexpr expr xlstm_scores(expr x, xlstm_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return soft_capped(linear(x, "lm_head", c.vocab, {.bias = false}), c.logit_cap);
}

/// Scores of the next token: tokens [B, T] of int32 -> [B, T, vocab].
constexpr expr xlstm_logits(expr tokens, xlstm_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr read = embedding(tokens, "embeddings", c.vocab, c.width);
  const expr x = repeat("blocks", c.layers, read, [&](expr y) { return xlstm_block(y, c); });
  return xlstm_scores(rms_norm(x, "out_norm", {.epsilon = c.epsilon}), c);
}

/// How Hugging Face names the parameters.
inline constexpr auto xlstm_names = std::to_array<name_rule>({{"", "backbone.", naming::optional_prefix}});

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <xlstm_config c>
inline constexpr auto xlstm = model(
    "xlstm",
    [](graph& g) {
      g.output("logits", xlstm_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    xlstm_names);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in nats.
template <xlstm_config c>
inline constexpr auto xlstm_loss = model(
    "xlstm_loss",
    [](graph& g) {
      const expr logits = xlstm_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    xlstm_names);

} // namespace fovea::models
