#pragma once

// Self-attention, from its simplest form to those of today, each a few lines on top of the word `attention`.
// x [B, T, width] holds a vector for each position; each form gives a vector for each position again.

#include <fovea/dsl.hpp>

#include <array>
#include <cstddef>

namespace fovea::models {

/// Without parameters: y_i = sum_j softmax_j(x_i . x_j) x_j. x [B, T, width] keeps its shape.
constexpr expr parameter_free_attention(expr x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return attention(x, x, x, {.score = dot}, at);
}

struct projection_config {
  int heads = 1;
  int kv_heads = 0; // 0: as many as heads
  int head_width = 0;
  bool bias = false;
};

/// What attention with these heads is told, a score and more being left to add.
constexpr attention_options options_of(projection_config c, fovea::attention_mask mask = {}) {
  return {.heads = c.heads, .kv_heads = c.kv_heads, .mask = mask};
}

/// Linear maps of x [B, T, width] to queries [B, T, heads * head_width], and of memory [B, S, any width] to
/// keys and values [B, S, kv_heads * head_width]; attention; a linear map back: [B, T, width]. Makes q_proj,
/// k_proj, v_proj and o_proj.
constexpr expr cross_attention(expr x, expr memory, projection_config c, attention_options options,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const int kv_heads = c.kv_heads == 0 ? c.heads : c.kv_heads;
  const expr query = linear(x, "q_proj", c.heads * c.head_width, {.bias = c.bias}),
             key = linear(memory, "k_proj", kv_heads * c.head_width, {.bias = c.bias}),
             value = linear(memory, "v_proj", kv_heads * c.head_width, {.bias = c.bias});
  return linear(attention(query, key, value, options), "o_proj", x.size(-1), {.bias = c.bias});
}

/// The same of x with itself.
constexpr expr self_attention(expr x, projection_config c, attention_options options,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return cross_attention(x, x, c, options, at);
}

/// Products without a scale (Luong et al. 2015, "dot").
constexpr expr unscaled_attention(expr x, projection_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  attention_options options = options_of(c);
  options.score = dot;
  return self_attention(x, c, options, at);
}

/// Products divided by sqrt(head_width) (Vaswani et al. 2017, eq. 1).
constexpr expr scaled_attention(expr x, projection_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return self_attention(x, c, options_of(c), at);
}

/// No position sees a later one; with .kv_heads, several query heads share a key head (Ainslie et al. 2023;
/// one key head: Shazeer 2019).
constexpr expr causal_attention(expr x, projection_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return self_attention(x, c, options_of(c, causal), at);
}

/// Each position sees the last n, its own counted (Beltagy et al. 2020, section 3.1, in a causal model).
constexpr expr sliding_window_attention(expr x, int n, projection_config c,
                                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return self_attention(x, c, options_of(c, window(n)), at);
}

/// Causal, but the first `lengths` [B] positions are seen by all (Raffel et al. 2020, section 3.2.1).
constexpr expr prefix_attention(expr x, expr lengths, projection_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return self_attention(x, c, options_of(c, causal | prefix(lengths)), at);
}

/// Causal, each head's scores falling with distance at its own rate (Press et al. 2022).
constexpr expr alibi_attention(expr x, projection_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  attention_options options = options_of(c, causal);
  options.score = alibi(c.heads);
  return self_attention(x, c, options, at);
}

/// Causal, scores kept within +-cap by cap tanh(score / cap) (Gemma team 2024, section 2).
constexpr expr soft_capped_attention(expr x, double cap, projection_config c,
                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  attention_options options = options_of(c, causal);
  options.soft_cap = cap;
  return self_attention(x, c, options, at);
}

struct multi_head_config {
  int heads, width;
  fovea::attention_mask mask = {};
  bool bias = true;
  bool key_bias = true; // moves all scores of a query alike, so that some models leave it out
};

/// Multi-head attention (Vaswani et al. 2017, section 3.2.2) of x [B, T, width] over memory [B, S, any
/// width], as torch.nn.MultiheadAttention has it: [B, T, width]. Makes q, k, v and out_proj.
constexpr expr multi_head_attention(expr x, expr memory, multi_head_config c,
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto projected = [&](expr from, const char* name, bool bias) {
    return linear(from, name, c.width, {.bias = bias});
  };
  const expr query = projected(x, "q", c.bias), key = projected(memory, "k", c.bias && c.key_bias),
             value = projected(memory, "v", c.bias);
  return projected(attention(query, key, value, {.heads = c.heads, .mask = c.mask}), "out_proj", c.bias);
}

/// Text that a template can be told.
template <std::size_t n>
struct name_text {
  char text[n];
  constexpr name_text(const char (&from)[n]) {
    for (std::size_t i = 0; i < n; ++i) text[i] = from[i];
  }
};

/// One name after another, kept for as long as the program.
template <name_text scope, name_text name>
inline constexpr auto scoped_name = [] {
  std::array<char, sizeof scope.text + sizeof name.text - 1> whole{};
  for (std::size_t i = 0; i < sizeof scope.text - 1; ++i) whole[i] = scope.text[i];
  for (std::size_t i = 0; i < sizeof name.text; ++i) whole[sizeof scope.text - 1 + i] = name.text[i];
  return whole;
}();

/// torch.nn.MultiheadAttention stacks the maps of queries, keys and values in one tensor: the rules for the
/// one named `scope` ("self_attn.", or "" for one alone).
template <name_text scope>
constexpr std::array<name_rule, 6> fused_projection_names(int width) {
  constexpr const char *weight = scoped_name<scope, "in_proj_weight">.data(),
                       *bias = scoped_name<scope, "in_proj_bias">.data();
  return {{{scoped_name<scope, "q.weight">.data(), weight, naming::rows(0, width)},
           {scoped_name<scope, "k.weight">.data(), weight, naming::rows(width, 2 * width)},
           {scoped_name<scope, "v.weight">.data(), weight, naming::rows(2 * width, 3 * width)},
           {scoped_name<scope, "q.bias">.data(), bias, naming::rows(0, width)},
           {scoped_name<scope, "k.bias">.data(), bias, naming::rows(width, 2 * width)},
           {scoped_name<scope, "v.bias">.data(), bias, naming::rows(2 * width, 3 * width)}}};
}

/// For one torch.nn.MultiheadAttention alone, which keeps the weights apart where keys have a width of their
/// own.
constexpr auto multi_head_names(int width) {
  return naming::together(fused_projection_names<"">(width),
                          std::array{name_rule{"q.weight", "q_proj_weight"},
                                     name_rule{"k.weight", "k_proj_weight"},
                                     name_rule{"v.weight", "v_proj_weight"}});
}

} // namespace fovea::models
