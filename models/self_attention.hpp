#pragma once

// Self-attention from its simplest form to today's (Vaswani et al. 2017, section 3.2): without parameters,
// with queries, keys and values, scaled, causal, with several heads, over another sequence, and with what
// limits or bends the view of a query: a sliding window (Beltagy et al. 2020), linear biases (Press et al.
// 2022), a soft cap (Gemma 2), a prefix (Raffel et al. 2020).

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct self_attention_config {
  int width, heads, head_width;
  int kv_heads = 0;     // 0: as many as heads
  int memory_width = 0; // of the other sequence; 0: width
  bool bias = false;    // of the four linear maps
};

/// Queries of x [B, T, width], keys and values of memory [B, S, memory width], attention, and a linear map
/// back to the width: [B, T, width]. `how` gives score, mask, soft cap and so on; its heads come from the
/// config.
constexpr expr query_key_value_attention(expr x, expr memory, self_attention_config c,
                                         attention_options how = {},
                                         place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const linear_options plain{.bias = c.bias};
  how.heads = c.heads;
  how.kv_heads = c.kv_heads == 0 ? c.heads : c.kv_heads;
  const expr a = attention(linear(x, "q_proj", how.heads * c.head_width, plain),
                           linear(memory, "k_proj", how.kv_heads * c.head_width, plain),
                           linear(memory, "v_proj", how.kv_heads * c.head_width, plain), how);
  return linear(a, "o_proj", c.width, plain);
}

/// The same with heads that share the width out, and biases: PyTorch's MultiheadAttention without names of
/// its own; its fused tensors are taken apart by multi_head_names. x [B, T, width], memory [B, S, any] -> [B,
/// T, width].
constexpr expr multi_head_attention(expr x, expr memory, dim width, int heads, mask visible = {},
                                    place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr a = attention(linear(x, "q", width), linear(memory, "k", width), linear(memory, "v", width),
                           {.heads = heads, .mask = visible});
  return linear(a, "out_proj", width);
}

/// How PyTorch names the parameters of a MultiheadAttention of this width: one tensor for the three maps, or
/// one for each where keys and values have other widths.
template <int width>
inline constexpr auto multi_head_names = std::to_array<name_rule>({
    {"q.weight", "in_proj_weight", rows(0, width)},
    {"k.weight", "in_proj_weight", rows(width, 2 * width)},
    {"v.weight", "in_proj_weight", rows(2 * width, 3 * width)},
    {"q.weight", "q_proj_weight"},
    {"k.weight", "k_proj_weight"},
    {"v.weight", "v_proj_weight"},
    {"q.bias", "in_proj_bias", rows(0, width)},
    {"k.bias", "in_proj_bias", rows(width, 2 * width)},
    {"v.bias", "in_proj_bias", rows(2 * width, 3 * width)},
});

namespace detail {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr expr sequence(graph& g, int width) { return g.input<f32>("x", {B, T, width}); }
constexpr expr memory(graph& g, self_attention_config c) {
  return g.input<f32>("memory", {B, S, c.memory_width == 0 ? c.width : c.memory_width});
}
constexpr void attend(graph& g, self_attention_config c, const attention_options& how = {}) {
  const expr x = sequence(g, c.width);
  g.output("y", query_key_value_attention(x, x, c, how));
}

} // namespace detail

// The models: x [B, T, width] -> y [B, T, width].

/// y_i = sum over j of softmax_j(x_i . x_j) x_j.
template <int width>
inline constexpr auto parameter_free_attention = model("parameter_free_attention", [](graph& g) {
  const expr x = detail::sequence(g, width);
  g.output("y", attention(x, x, x, {.score = dot}));
});

/// Learned queries, keys and values, compared by their plain product.
template <self_attention_config c>
inline constexpr auto unscaled_attention = model("unscaled_attention",
                                                 [](graph& g) { detail::attend(g, c, {.score = dot}); });

/// The same divided by the root of the head width; with several heads this is multi-head attention.
template <self_attention_config c>
inline constexpr auto scaled_attention = model("scaled_attention", [](graph& g) { detail::attend(g, c); });

/// Each position sees itself and those before it.
template <self_attention_config c>
inline constexpr auto causal_attention = model("causal_attention",
                                               [](graph& g) { detail::attend(g, c, {.mask = causal}); });

/// The first lengths [B] positions of each row are seen.
template <self_attention_config c>
inline constexpr auto padded_attention = model("padded_attention", [](graph& g) {
  detail::attend(g, c, {.mask = padding(g.input<i32>("lengths", {detail::B}))});
});

/// Keys and values of memory [B, S, memory width], of which each row has lengths [B].
template <self_attention_config c>
inline constexpr auto cross_attention = model("cross_attention", [](graph& g) {
  const expr x = detail::sequence(g, c.width), memory = detail::memory(g, c);
  const mask visible = padding(g.input<i32>("lengths", {detail::B}));
  g.output("y", query_key_value_attention(x, memory, c, {.mask = visible}));
});

/// The last n positions, the current one counted.
template <self_attention_config c, int n>
inline constexpr auto windowed_attention = model("windowed_attention",
                                                 [](graph& g) { detail::attend(g, c, {.mask = window(n)}); });

/// Scores fall with the distance, in each head at its own rate.
template <self_attention_config c>
inline constexpr auto alibi_attention = model("alibi_attention", [](graph& g) {
  detail::attend(g, c, {.score = alibi(c.heads), .mask = causal});
});

/// Scores stay within `cap`, as cap * tanh(score / cap).
template <self_attention_config c, double cap>
inline constexpr auto soft_capped_attention = model("soft_capped_attention", [](graph& g) {
  detail::attend(g, c, {.mask = causal, .soft_cap = cap});
});

/// The first prefix [B] positions are seen by all, the others by what follows them.
template <self_attention_config c>
inline constexpr auto prefix_attention = model("prefix_attention", [](graph& g) {
  detail::attend(g, c, {.mask = causal | prefix(g.input<i32>("prefix", {detail::B}))});
});

} // namespace fovea::models
