#pragma once

// Mamba-2: a language model of state spaces that decay by one rate a head (Dao and Gu 2024, "Transformers are SSMs:
// Generalized Models and Efficient Algorithms Through Structured State Space Duality"). Loads Hugging Face checkpoints
// of Mamba2ForCausalLM unchanged, and the authors'.

#include <fovea/models/mamba.hpp>

namespace fovea::models {

struct mamba2_config {
  int layers, width, heads, vocab;
  int head_width = 64;
  int groups = 1;   // of heads, which share what they write and read
  int state = 128;  // numbers that each inner feature keeps
  int window = 4;   // of the convolution over time
  bool tied = true; // the table of token vectors also scores the tokens
  double epsilon = 1e-5;

  constexpr int inner() const { return heads * head_width; }
};

/// The smallest of those published: 129 million parameters.
inline constexpr mamba2_config mamba2_130m{.layers = 24, .width = 768, .heads = 24, .vocab = 50288};

/// The largest: 2.7 billion.
inline constexpr mamba2_config mamba2_2_7b{.layers = 64, .width = 2560, .heads = 80, .vocab = 50288};

/// mistralai/Mamba-Codestral-7B-v0.1: 7.3 billion parameters, programs.
inline constexpr mamba2_config mamba_codestral{
    .layers = 64, .width = 4096, .heads = 128, .vocab = 32768, .groups = 8, .tied = false};

/// A number for each head, as one for each of its features: x [..., heads] -> [..., groups, inner / groups].
constexpr expr mamba2_spread(expr x, mamba2_config c) {
  const dim rows = x.size(0), steps = x.size(1);
  return reshape(broadcast(unsqueeze(x, 3), {rows, steps, c.heads, c.head_width}),
                 {rows, steps, c.groups, c.inner() / c.groups});
}

/// The state spaces (section 2.1): the features of a head drive `state` numbers each that decay alike; how long a step
/// lasts, what it writes and what it reads depend on the text. x [B, T, inner], lengths [B, T, heads], written and read
/// [B, T, groups * state]. Keeps the shape of x.
constexpr expr head_state_space(expr x, expr lengths, expr written, expr read, mamba2_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const int features = c.inner() / c.groups;
  const dim rows = x.size(0), steps = x.size(1);
  const auto by_group = [&](expr each) { return reshape(each, {rows, steps, c.groups, c.state}); };
  const expr in = reshape(x, {rows, steps, c.groups, features});
  const expr rates = -exp(parameter(x, "A_log", {c.heads}));
  const expr none = zeros(x, {rows, c.groups, features, c.state});
  const expr y = scan(std::array{in * mamba2_spread(lengths, c), mamba2_spread(exp(lengths * rates), c),
                                 by_group(written), by_group(read)},
                      none, [](std::array<expr, 4> now, expr state) {
                        const expr next =
                            unsqueeze(now[1], 3) * state + unsqueeze(now[0], 3) * unsqueeze(now[2], 2);
                        return scan_step{sum(next * unsqueeze(now[3], 2), axis(3)), next};
                      });
  const expr by_head = reshape(x, {rows, steps, c.heads, c.head_width});
  const expr past = by_head * unsqueeze(parameter(x, "D", {c.heads}), 1);
  return reshape(y, {rows, steps, c.inner()}) + reshape(past, {rows, steps, c.inner()});
}

/// Divides each group of x [B, T, inner] by the root of its mean square, times a weight. Keeps the shape.
constexpr expr group_rms_norm(expr x, int groups, double epsilon) {
  const dim rows = x.size(0), steps = x.size(1), inner = x.size(2);
  const expr y = reshape(x, {rows, steps, groups, inner / groups});
  const expr normed = y / sqrt(mean(y * y, axis(-1), {.keep = true}) + epsilon);
  return reshape(normed, {rows, steps, inner}) * parameter(x, "norm.weight", {inner}, init::ones());
}

/// One block (figure 6, right): a causal convolution, the state spaces, a gate and a norm, added to the input. x
/// [B, T, width] keeps its shape.
constexpr expr mamba2_block(expr x, mamba2_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h = rms_norm(x, "norm", {.epsilon = c.epsilon});
  const scope inside(x, "mixer");
  const int inner = c.inner(), shared = c.groups * c.state, mixed = inner + 2 * shared;
  const expr all = linear(h, "in_proj", inner + mixed + c.heads, {.bias = false});
  const expr gate = slice(all, axis(-1), 0, inner);
  const expr lengths = softplus(slice(all, axis(-1), inner + mixed, inner + mixed + c.heads) +
                                parameter(x, "dt_bias", {c.heads}));
  const expr near = silu(conv1d(slice(all, axis(-1), inner, inner + mixed), "conv1d", mixed, c.window,
                                {.padding = causal, .groups = mixed}));
  const expr y =
      head_state_space(slice(near, axis(-1), 0, inner), lengths, slice(near, axis(-1), inner, inner + shared),
                       slice(near, axis(-1), inner + shared, mixed), c);
  return x +
         linear(group_rms_norm(y * silu(gate), c.groups, c.epsilon), "out_proj", c.width, {.bias = false});
}

/// The table of token vectors, [vocab, width].
constexpr expr mamba2_words(expr tokens, mamba2_config c) {
  return parameter(tokens, "words", {c.vocab, c.width}, init::normal(0.02));
}

/// Scores of the next token, x being normalised: [B, T, width] -> [B, T, vocab].
constexpr expr mamba2_scores(expr x, expr words, mamba2_config c) {
  return c.tied ? matmul(x, transpose(words)) : linear(x, "lm_head", c.vocab, {.bias = false});
}

/// Scores of the next token: tokens [B, T] of int32 -> [B, T, vocab].
constexpr expr mamba2_logits(expr tokens, mamba2_config c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr words = mamba2_words(tokens, c);
  const expr x =
      repeat("layers", c.layers, gather(words, tokens), [&](expr y) { return mamba2_block(y, c); });
  return mamba2_scores(rms_norm(x, "norm_f", {.epsilon = c.epsilon}), words, c);
}

/// How Hugging Face and, where it differs, the authors name the parameters.
template <mamba2_config c>
inline constexpr auto mamba2_names = std::to_array<name_rule>({
    {"", "backbone.", naming::optional_prefix},
    {"words", "embeddings.weight"},
    {"words", "embedding.weight"},
    {c.tied ? "words" : "lm_head.weight", "lm_head.weight", c.tied ? naming::tied : naming::transform{}},
});

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <mamba2_config c>
inline constexpr auto mamba2 = model(
    "mamba2",
    [](graph& g) {
      g.output("logits", mamba2_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    mamba2_names<c>);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in nats.
template <mamba2_config c>
inline constexpr auto mamba2_loss = model(
    "mamba2_loss",
    [](graph& g) {
      const expr logits = mamba2_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    mamba2_names<c>);

} // namespace fovea::models
