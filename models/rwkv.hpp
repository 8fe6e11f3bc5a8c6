#pragma once

// RWKV: language models that recur like an RNN and train like a Transformer, versions 4 (Peng et al. 2023), 5
// (Peng et al. 2024, "Eagle and Finch") and 7 (Peng et al. 2025, "Goose"). All that moves along time is two
// scans a layer over what lies before: the vector of the position before, and the sums that take the place
// of keys and values. Parameters have the names of the published checkpoints.

#include <fovea/models/position_before.hpp>

#include <array>
#include <cstdint>

namespace fovea::models {

enum class rwkv_version : std::uint8_t { v4, v5, v7 };

struct rwkv_config {
  rwkv_version version;
  int layers, width, inner, vocab; // inner: of the feed-forward layers
  int heads = 1;                   // of versions 5 and 7
  /// The hidden layers of version 7's small networks: of the decay, the rate of learning, the share of the
  /// first layer's values, and the gate.
  int decay_rank = 64, rate_rank = 64, value_rank = 32, gate_rank = 128;
  /// Of version 4: time_decay is the logarithm of the rate, as in PyTorch's checkpoints; false: minus the
  /// rate itself, as programs for inference keep it.
  bool logarithm_of_rate = false;
  double epsilon = 1e-5;

  constexpr int head_width() const { return width / heads; }
};

/// h m + before (1 - m), m a share for each feature.
constexpr expr rwkv_mixed(expr h, expr before, const char* name) {
  const expr m = parameter(h, name, {h.size(-1)});
  return h * m + before * (1 - m);
}

constexpr expr rwkv_projected(expr x, const char* name, dim width) {
  return linear(x, name, width, {.bias = false});
}

/// Version 4's attention: for each feature the mean of all values so far, weighted by e^key, which fades at
/// the rate d a step; the present one has the weight e^(u + key). k, v [B, T, width] -> [B, T, width]. State:
/// the weighted sum of values, the sum of weights, both by e^p, and p, the largest exponent so far.
constexpr expr rwkv4_sums(expr k, expr v, expr u, expr d,
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(k, at);
  const auto filled = [&](double x) { return broadcast(constant(k, x), {k.size(0), k.size(2)}); };
  return scan(std::array{k, v}, std::array{filled(0), filled(0), filled(-1e30)},
              [&](std::array<expr, 2> now, std::array<expr, 3> state) {
                const expr key = now[0], value = now[1];
                const expr total = state[0], weights = state[1], largest = state[2];
                const auto joined = [&](expr past, expr present) {
                  const expr top = max(past, present), a = exp(past - top), b = exp(present - top);
                  return std::array{a * total + b * value, a * weights + b, top};
                };
                const auto seen = joined(largest, u + key);
                return scan_step{seen[0] / seen[1], joined(largest + d, key)};
              });
}

constexpr expr rwkv4_attention(expr h, expr before, rwkv_config c) {
  const expr r = sigmoid(rwkv_projected(rwkv_mixed(h, before, "time_mix_r"), "receptance", c.width)),
             k = rwkv_projected(rwkv_mixed(h, before, "time_mix_k"), "key", c.width),
             v = rwkv_projected(rwkv_mixed(h, before, "time_mix_v"), "value", c.width);
  const expr u = parameter(h, "time_first", {c.width}), stored = parameter(h, "time_decay", {c.width}),
             d = c.logarithm_of_rate ? -exp(stored) : stored;
  return rwkv_projected(r * rwkv4_sums(k, v, u, d), "output", c.width);
}

/// x [B, T, width] as [B, T, heads, head width].
constexpr expr in_heads(expr x, rwkv_config c) {
  return reshape(x, {x.size(0), x.size(1), c.heads, c.head_width()});
}

/// Each head normalised for itself, then scaled and moved feature by feature: [B, T, heads, head width] ->
/// [B, T, width]. Makes ln_x.
constexpr expr norm_of_heads(expr x, double epsilon, rwkv_config c) {
  const scope inside(x, "ln_x");
  const expr y = layer_norm(x, "", {.epsilon = epsilon, .affine = false});
  return reshape(y, {x.size(0), x.size(1), c.width}) * parameter(x, "weight", {c.width}) +
         parameter(x, "bias", {c.width});
}

/// The state of versions 5 and 7 before the first step: a matrix for each head.
constexpr expr no_memory(expr x, rwkv_config c) {
  return zeros(x, {x.size(0), c.heads, c.head_width(), c.head_width()});
}

/// Version 5's attention: a head keeps the sum of key times value, each row fading at a rate of its own.
constexpr expr rwkv5_attention(expr h, expr before, rwkv_config c) {
  const auto projected = [&](const char* mix, const char* name) {
    return rwkv_projected(rwkv_mixed(h, before, mix), name, c.width);
  };
  const expr r = in_heads(projected("time_mix_r", "receptance"), c),
             k = in_heads(projected("time_mix_k", "key"), c),
             v = in_heads(projected("time_mix_v", "value"), c), g = silu(projected("time_mix_g", "gate"));
  const expr u = parameter(h, "time_faaaa", {c.heads, c.head_width(), 1}),
             w = parameter(h, "time_decay", {c.heads, c.head_width(), 1});
  const expr y = scan(std::array{r, k, v}, no_memory(h, c), [&](std::array<expr, 3> now, expr memory) {
    const expr row = unsqueeze(now[0], 3), key = unsqueeze(now[1], 3), value = unsqueeze(now[2], 2);
    const expr seen = key * value;
    return scan_step{sum(row * (u * seen + memory), axis(2)), w * memory + seen};
  });
  return rwkv_projected(norm_of_heads(y, 1e-5, c) * g, "output", c.width);
}

/// Attention of version 7, and the values [B, T, width] that later layers mix into theirs.
struct rwkv7_values {
  expr output, values;
};

/// A network of one hidden layer without biases: first [rank, width], f, second [width, rank].
template <class F>
constexpr expr low_rank(expr x, const char* first, const char* second, int rank, F f) {
  const expr down = parameter(x, first, {rank, x.size(-1)}), up = parameter(x, second, {x.size(-1), rank});
  return linear(f(linear(x, down)), up);
}

/// Version 7's attention: the memory of a head, [value, key], forgets row by row what stands under the
/// normalised key, at a rate that the input sets, and learns the new value in its place (the delta rule).
constexpr rwkv7_values rwkv7_attention(expr h, expr before, expr first_values, rwkv_config c) {
  const expr mixes = parameter(h, "x_rwkvag", {6, 1, c.width}), step = before - h;
  const auto mixed = [&](int i) { return h + step * reshape(slice(mixes, axis(0), i, i + 1), {c.width}); };
  const auto vector = [&](const char* name) {
    return reshape(parameter(h, name, {1, 1, c.width}), {c.width});
  };
  const auto same = [](expr x) { return x; };
  const expr xr = mixed(0), xw = mixed(1), xk = mixed(2), xv = mixed(3), xa = mixed(4), xg = mixed(5);
  const expr r = rwkv_projected(xr, "receptance", c.width);
  const expr w =
      exp(-0.60653065971263342 * // e^(-1/2)
          sigmoid(vector("w0") + low_rank(xw, "w1", "w2", c.decay_rank, [](expr x) { return tanh(x); })));
  const expr key = rwkv_projected(xk, "key", c.width);
  expr v = rwkv_projected(xv, "value", c.width);
  if (first_values.owner != nullptr)
    v = v + (first_values - v) * sigmoid(vector("v0") + low_rank(xv, "v1", "v2", c.value_rank, same));
  const expr a = sigmoid(vector("a0") + low_rank(xa, "a1", "a2", c.rate_rank, same));
  const expr g = low_rank(xg, "g1", "g2", c.gate_rank, [](expr x) { return sigmoid(x); });
  const expr erased = in_heads(key * vector("k_k"), c);
  const expr unit = erased / sqrt(sum(erased * erased, axis(3), {.keep = true}));
  const expr k = key * (1 + (a - 1) * vector("k_a"));

  const std::array each{in_heads(r, c), in_heads(w, c), in_heads(k, c),
                        in_heads(v, c), unit,           unit * in_heads(a, c)};
  const expr y = scan(each, no_memory(h, c), [](std::array<expr, 6> now, expr memory) {
    const auto row = [&](std::size_t i) { return unsqueeze(now[i], 2); };
    const expr value = unsqueeze(now[3], 3);
    const expr under_key = sum(memory * row(4), axis(3), {.keep = true});
    const expr next = memory * row(1) - under_key * row(5) + value * row(2);
    return scan_step{sum(next * row(0), axis(3)), next};
  });
  const expr now =
      sum(each[0] * each[2] * parameter(h, "r_k", {c.heads, c.head_width()}), axis(3), {.keep = true}) *
      each[3];
  const expr all = norm_of_heads(y, 64e-5, c) + reshape(now, {h.size(0), h.size(1), c.width});
  return {rwkv_projected(all * g, "output", c.width), v};
}

/// The feed-forward layer: value(relu(key(h))^2), in versions 4 and 5 behind a gate.
constexpr expr rwkv_feed_forward(expr h, expr before, rwkv_config c) {
  const auto inner = [&](expr x) {
    const expr k = relu(rwkv_projected(x, "key", c.inner));
    return rwkv_projected(k * k, "value", c.width);
  };
  if (c.version == rwkv_version::v7)
    return inner(h + (before - h) * reshape(parameter(h, "x_k", {1, 1, c.width}), {c.width}));
  const expr gate = sigmoid(rwkv_projected(rwkv_mixed(h, before, "time_mix_r"), "receptance", c.width));
  return gate * inner(rwkv_mixed(h, before, "time_mix_k"));
}

/// One layer: x [B, T, width] and, in version 7, the first layer's values, none for that layer itself.
constexpr rwkv7_values rwkv_block(expr x, expr first_values, rwkv_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  expr values;
  {
    const expr h = layer_norm(x, "ln1", {.epsilon = c.epsilon}), before = position_before(h);
    const scope inside(x, "att");
    if (c.version == rwkv_version::v7) {
      const rwkv7_values made = rwkv7_attention(h, before, first_values, c);
      x = x + made.output;
      values = made.values;
    } else {
      x = x + (c.version == rwkv_version::v4 ? rwkv4_attention(h, before, c) : rwkv5_attention(h, before, c));
    }
  }
  const expr h = layer_norm(x, "ln2", {.epsilon = c.epsilon}), before = position_before(h);
  const scope inside(x, "ffn");
  return {x + rwkv_feed_forward(h, before, c), values};
}

/// All layers: [B, T, width] for each of tokens [B, T].
constexpr expr rwkv_layers(expr tokens, rwkv_config c,
                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr words = embedding(tokens, "emb", c.vocab, c.width);
  const auto norm = [&](expr x, const char* name) { return layer_norm(x, name, {.epsilon = c.epsilon}); };
  const expr x = norm(words, "blocks.0.ln0");
  if (c.version != rwkv_version::v7)
    return norm(repeat("blocks", c.layers, x, [&](expr y) { return rwkv_block(y, {}, c).output; }), "ln_out");
  // The first layer has no values before its own.
  const auto first = [&] {
    const scope inside(x, "blocks", 0);
    return rwkv_block(x, {}, c);
  }();
  const auto last = repeat("blocks", c.layers - 1, std::array{first.output, first.values},
                           [&](std::array<expr, 2> y) {
                             return std::array{rwkv_block(y[0], y[1], c).output, y[1]};
                           },
                           {.first = 1});
  return norm(last[0], "ln_out");
}

/// The smallest published models of versions 4 (trained on the Pile) and 7 (on World).
inline constexpr rwkv_config rwkv4_169m{.version = rwkv_version::v4,
                                        .layers = 12,
                                        .width = 768,
                                        .inner = 3072,
                                        .vocab = 50277,
                                        .logarithm_of_rate = true};
inline constexpr rwkv_config rwkv7_191m{
    .version = rwkv_version::v7, .layers = 12, .width = 768, .inner = 3072, .vocab = 65536, .heads = 12};

/// Hugging Face's names of version 4.
inline constexpr auto rwkv_names = std::to_array<name_rule>({
    {"", "rwkv.", naming::optional_prefix},
    {"emb.weight", "embeddings.weight"},
    {"blocks.0.ln0.weight", "blocks.0.pre_ln.weight"},
    {"blocks.0.ln0.bias", "blocks.0.pre_ln.bias"},
    {"blocks.*.att.time_decay", "blocks.*.attention.time_decay"},
    {"blocks.*.att.time_first", "blocks.*.attention.time_first"},
    {"blocks.*.att.time_mix_k", "blocks.*.attention.time_mix_key", naming::squeezed},
    {"blocks.*.att.time_mix_v", "blocks.*.attention.time_mix_value", naming::squeezed},
    {"blocks.*.att.time_mix_r", "blocks.*.attention.time_mix_receptance", naming::squeezed},
    {"blocks.*.att.key.weight", "blocks.*.attention.key.weight"},
    {"blocks.*.att.value.weight", "blocks.*.attention.value.weight"},
    {"blocks.*.att.receptance.weight", "blocks.*.attention.receptance.weight"},
    {"blocks.*.att.output.weight", "blocks.*.attention.output.weight"},
    {"blocks.*.ffn.time_mix_k", "blocks.*.feed_forward.time_mix_key", naming::squeezed},
    {"blocks.*.ffn.time_mix_r", "blocks.*.feed_forward.time_mix_receptance", naming::squeezed},
    {"blocks.*.ffn.key.weight", "blocks.*.feed_forward.key.weight"},
    {"blocks.*.ffn.value.weight", "blocks.*.feed_forward.value.weight"},
    {"blocks.*.ffn.receptance.weight", "blocks.*.feed_forward.receptance.weight"},
});

/// Scores of the next token: tokens [B, T] of int32 -> [B, T, vocab].
constexpr expr rwkv_logits(expr tokens, const rwkv_config& c,
                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  return rwkv_projected(rwkv_layers(tokens, c), "head", c.vocab);
}

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <rwkv_config c>
inline constexpr auto rwkv = model(
    "rwkv",
    [](graph& g) {
      g.output("logits", rwkv_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    rwkv_names);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <rwkv_config c>
inline constexpr auto rwkv_loss = model(
    "rwkv_loss",
    [](graph& g) {
      const expr logits = rwkv_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    rwkv_names);

} // namespace fovea::models
