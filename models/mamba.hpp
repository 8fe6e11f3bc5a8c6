#pragma once

// Mamba: a language model of selective state spaces (Gu and Dao 2023, "Mamba: Linear-Time Sequence Modeling
// with Selective State Spaces"). Loads Hugging Face checkpoints of MambaForCausalLM unchanged.

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct mamba_config {
  int layers, width, inner, vocab;
  int state = 16; // numbers that each inner feature keeps
  int rank;       // of the map to the steps' lengths
  int window = 4; // of the convolution over time
  double epsilon = 1e-5;
};

/// The smallest of those published: 129 million parameters.
inline constexpr mamba_config mamba_130m{
    .layers = 24, .width = 768, .inner = 1536, .vocab = 50280, .rank = 48};

/// The selective state space (algorithm 2): each feature of x [B, T, inner] drives `state` numbers that decay
/// at the rates A; how long a step lasts, what it writes and what it reads depend on x. Keeps the shape.
constexpr expr selective_state_space(expr x, mamba_config c,
                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr from_x = linear(x, "x_proj", c.rank + 2 * c.state, {.bias = false});
  const auto part = [&](int from, int to) { return slice(from_x, axis(-1), from, to); };
  const expr length = softplus(linear(part(0, c.rank), "dt_proj", c.inner)),
             written = part(c.rank, c.rank + c.state), read = part(c.rank + c.state, c.rank + 2 * c.state);
  const expr rates = -exp(parameter(x, "A_log", {c.inner, c.state}));
  const expr none = zeros(x, {x.size(0), c.inner, c.state});
  const expr y =
      scan(std::array{x * length, length, written, read}, none, [&](std::array<expr, 4> now, expr state) {
        const expr next =
            exp(unsqueeze(now[1], 2) * rates) * state + unsqueeze(now[0], 2) * unsqueeze(now[2], 1);
        return scan_step{sum(next * unsqueeze(now[3], 1), axis(2)), next};
      });
  return y + x * parameter(x, "D", {c.inner});
}

/// One block (figure 3): a causal convolution of each feature and the state space, behind a gate, added to
/// the input. x [B, T, width] keeps its shape.
constexpr expr mamba_block(expr x, mamba_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h = rms_norm(x, "norm", {.epsilon = c.epsilon});
  const scope inside(x, "mixer");
  const auto [main, gate] = split<2>(linear(h, "in_proj", 2 * c.inner, {.bias = false}));
  const expr y = silu(conv1d(main, "conv1d", c.inner, c.window, {.padding = causal, .groups = c.inner}));
  return x + linear(selective_state_space(y, c) * silu(gate), "out_proj", c.width, {.bias = false});
}

/// The table of token vectors, [vocab, width], which also scores the tokens at the end.
constexpr expr mamba_words(expr tokens, mamba_config c) {
  return parameter(tokens, "words", {c.vocab, c.width}, init::normal(0.02));
}

/// Scores of the next token: tokens [B, T] of int32 -> [B, T, vocab].
constexpr expr mamba_logits(expr tokens, mamba_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr words = mamba_words(tokens, c);
  const expr x = repeat("layers", c.layers, gather(words, tokens), [&](expr y) { return mamba_block(y, c); });
  return matmul(rms_norm(x, "norm_f", {.epsilon = c.epsilon}), transpose(words));
}

/// How Hugging Face and, where it differs, the authors name the parameters.
inline constexpr auto mamba_names = std::to_array<name_rule>({
    {"", "backbone.", naming::optional_prefix},
    {"words", "embeddings.weight"},
    {"words", "embedding.weight"},
    {"words", "lm_head.weight", naming::tied},
});

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <mamba_config c>
inline constexpr auto mamba = model(
    "mamba",
    [](graph& g) {
      g.output("logits", mamba_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    mamba_names);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <mamba_config c>
inline constexpr auto mamba_loss = model(
    "mamba_loss",
    [](graph& g) {
      const expr logits = mamba_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    mamba_names);

} // namespace fovea::models
