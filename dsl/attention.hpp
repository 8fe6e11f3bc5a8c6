#pragma once

#include <concepts>
#include <cstdint>

#include <fovea/dsl/attention_options.hpp>

namespace fovea::core {

namespace detail {

constexpr double square_root(double x) {
  double root = x < 1 ? 1 : x;
  for (int i = 0; i < 64; ++i) root = (root + x / root) / 2;
  return root;
}

/// W q of the score `general`, of as many features as k.
constexpr expr turned_by_matrix(expr q, expr k, const attention_options& o, source_place at,
                                const char* word) {
  graph& g = *q.owner;
  if (o.heads != 1)
    return g.fail(150, at, graph::named{word, o.score.name}, ": the score `general` takes one head, found ",
                  o.heads);
  const scope inside(&g, o.score.name, scope_name::no_index, at);
  const std::int64_t wq = g.number(g.shape_of(q)[-1]), wk = g.number(g.shape_of(k)[-1]);
  return matmul(q, parameter(q, "weight", {wq, wk}, {}, at), at);
}

/// [batch, heads, queries, keys], or without the batch.
constexpr shape shape_of_scores(graph& g, expr q, expr k, int heads) {
  const shape &sq = g.shape_of(q), &sk = g.shape_of(k);
  shape scores;
  if (sq.rank == 3) scores.push(sq[0]);
  scores.push(g.intern(heads));
  scores.push(sq[-2]);
  scores.push(sk[-2]);
  return scores;
}

/// A bias that has a value for each key, where it has one for all.
constexpr expr of_each_key(expr bias, const shape& scores, source_place at) {
  graph& g = *bias.owner;
  shape s = g.shape_of(bias);
  if (s.rank > 0 && s[-1] == scores[-1]) return bias;
  if (s.rank == 0)
    s.push(scores[-1]);
  else
    s[-1] = scores[-1];
  return g.add({.kind = op::broadcast, .shape = s, .at = at}, bias);
}

/// The attention of operands that fit: q, k, v, then bias if there is one, then the tables that the score
/// captures, then those of the mask.
constexpr expr add_attention(op kind, expr q, expr k, expr v, const attention_options& o, const shape& scores,
                             source_place at) {
  graph& g = *q.owner;
  const int kv_heads = o.kv_heads == 0 ? o.heads : o.kv_heads;
  const int score_function = o.score.function.empty() ? -1 : g.add_function(o.score.function, at, at.word);
  scalar_function visible = o.mask.function;
  visible.looks_ahead = o.mask.looks_ahead;
  const int mask_function = visible.empty() ? -1 : g.add_function(visible, at, at.word);
  if (!g.error.empty()) return {&g};
  const bool has_bias = o.bias.owner != nullptr;
  const expr bias = has_bias ? of_each_key(o.bias, scores, at) : expr{};
  double scale = o.scale;
  if (scale == 0)
    scale = o.score.how == attention_score::kind::scaled_dot
                ? 1 / square_root(static_cast<double>(g.number(g.shape_of(k)[-1]) / kv_heads))
                : 1;
  shape s = kind == op::attention_map ? scores : g.shape_of(q);
  if (kind == op::attention) s[-1] = g.intern(g.number(g.shape_of(v)[-1]) / kv_heads * o.heads);
  expr made = g.add({.kind = kind,
                     .shape = s,
                     .settings = {.attention = {.heads = static_cast<std::int16_t>(o.heads),
                                                .kv_heads = static_cast<std::int16_t>(kv_heads),
                                                .has_bias = has_bias,
                                                .score = static_cast<std::int16_t>(score_function),
                                                .mask = static_cast<std::int16_t>(mask_function),
                                                .scale = scale,
                                                .soft_cap = o.soft_cap}},
                     .at = at},
                    q, k, v);
  if (!made.valid()) return made;
  if (has_bias) g.add_operand(bias);
  for (const scalar_function* f : {&o.score.function, &o.mask.function})
    for (int i = 0; i < f->capture_count; ++i) g.add_operand({&g, f->captures[i]});
  return made;
}

constexpr expr attend_softly(op kind, expr q, expr k, expr v, const attention_options& o, source_place at) {
  const char* word = at.word;
  if (q.owner == nullptr) return {};
  graph& g = *q.owner;
  for (expr x : {q, k, v})
    if (!g.usable(x, at, word) || !is_float(x, at, word)) return {&g};
  if (o.score.is_none)
    return g.fail(148, at, word,
                  ": .score takes a lambda of (score, query, key[, head[, batch]]) that gives a ",
                  "number, or a score such as `dot` or general(\"w\")");
  if (o.mask.is_none)
    return g.fail(149, at, word,
                  ": .mask takes a lambda of (query, key[, head[, batch]]) that gives a boolean, ",
                  "or a mask such as `causal` or window(8)");
  for (expr x : {k, v, q})
    if (width_of(x, at, word) == 0) return {&g};
  if (o.score.how == attention_score::kind::general) q = turned_by_matrix(q, k, o, at, word);
  if (!q.valid()) return {&g};
  const int kv_heads = o.kv_heads == 0 ? o.heads : o.kv_heads;
  if (!operands_fit(g, q, k, v, at, word) || !heads_fit(g, q, k, v, o.heads, kv_heads, at, word) ||
      !options_fit(g, o, at, word))
    return {&g};
  const shape scores = shape_of_scores(g, q, k, o.heads);
  if (!changes_fit(g, o, scores, at, word)) return {&g};
  return add_attention(kind, q, k, v, o, scores, at);
}

/// Soft attention by scores [batch, queries, keys] ([queries, keys]) alone: what compares is all zeros.
constexpr expr attend_by(op kind, expr scores, expr v, const attention_options& o, source_place at,
                         const char* word) {
  if (!is_float(scores, at, word) || !is_float(v, at, word)) return {scores.owner};
  graph& g = *scores.owner;
  const shape &s = g.shape_of(scores), &values = g.shape_of(v);
  if (s.rank < 2 || s.rank > 3 || values.rank != s.rank || values[-2] != s[-1] ||
      (s.rank == 3 && values[0] != s[0]))
    return g.fail(165, at, word,
                  ": expected scores [batch, queries, keys] and values [batch, keys, features], found ",
                  scores, " and ", v);
  const auto zeros = [&](std::uint16_t positions) {
    shape z = s;
    z[-2] = positions, z[-1] = g.intern(1);
    return g.add({.kind = op::broadcast, .shape = z, .at = at}, constant(scores, 0, at));
  };
  attention_options by_bias = o;
  by_bias.score = dot;
  by_bias.bias = unsqueeze(scores, s.rank - 2, at);
  if (o.bias.owner != nullptr) by_bias.bias = apply(op::add, {by_bias.bias, at}, {o.bias, at});
  const std::uint16_t queries = s[-2], keys = s[-1];
  return attend_softly(kind, zeros(queries), zeros(keys), v, by_bias, at);
}

/// What a network of one hidden layer says of each query and key: [batch, queries, keys].
constexpr expr network_scores(expr q, expr k, const attention_score& how, const char* word, source_place at) {
  if (!is_float(q, at, word) || !is_float(k, at, word)) return {q.owner};
  graph& g = *q.owner;
  const graph::named who{word, how.name};
  if (how.width < 1)
    return g.fail(166, at, who, ": expected a hidden layer of at least 1, found ", how.width);
  const std::int64_t wq = width_of(q, at, who), wk = width_of(k, at, who);
  if (wq == 0 || wk == 0) return {&g};
  if (q.rank() != k.rank() || q.rank() < 2 || q.rank() > 3)
    return g.fail(167, at, who,
                  ": expected [batch, positions, features] or [positions, features], found query ", q,
                  " and key ", k);
  const scope inside(&g, how.name, scope_name::no_index, at);
  expr from_q, from_k;
  if (how.how == attention_score::kind::additive) {
    from_q = linear(q, "query", how.width, {.bias = false}, at);
    from_k = linear(k, "key", how.width, {.bias = false}, at);
  } else {
    const expr both = parameter(q, "weight", {how.width, wq + wk}, {}, at);
    from_q = matmul(q, transpose(slice(both, axis(-1, at), 0, wq, at), at), at);
    from_k = matmul(k, transpose(slice(both, axis(-1, at), wq, wq + wk, at), at), at);
  }
  const int place_of_keys = q.rank() - 1;
  const expr hidden = tanh(apply(op::add, {unsqueeze(from_q, place_of_keys, at), at},
                                 {unsqueeze(from_k, place_of_keys - 1, at), at}),
                           at);
  const expr scores = linear(hidden, "score", 1, {.bias = false}, at);
  if (!scores.valid()) return scores;
  shape s = g.shape_of(scores);
  --s.rank;
  return reshape_to(scores, s, at);
}

/// Whether a recorded score is what it is given and something that does not depend on it, as with alibi.
constexpr bool adds_to_score(const scalar_function& f) {
  enum class part : std::uint8_t { none, whole, other }; // of what it is given in a node
  const auto part_of = [](const scalar_node& n, const auto& of) {
    if (n.kind == op::score) return part::whole;
    const auto is = [&](int k, part what) { return of(k) == what; };
    bool any = false;
    for (int k = 0; k < n.operand_count; ++k) any |= !is(k, part::none);
    if (!any) return part::none;
    const bool adds = n.kind == op::add && is(0, part::none) != is(1, part::none) && !is(0, part::other) &&
                      !is(1, part::other),
               takes = n.kind == op::subtract && is(0, part::whole) && is(1, part::none),
               chooses = n.kind == op::where && is(0, part::none) && is(1, part::whole) && is(2, part::whole);
    return adds || takes || chooses ? part::whole : part::other;
  };
  return f.of_result<part>(part_of) == part::whole;
}

constexpr expr attend_to(op kind, expr q, expr k, expr v, const attention_options& o, source_place at) {
  const char* word = word_of(kind);
  at = at.as(word);
  const bool by_network =
      o.score.how == attention_score::kind::additive || o.score.how == attention_score::kind::concatenated;
  const auto softly = [&](op wanted, const attention_options& options) {
    return by_network ? attend_by(wanted, network_scores(q, k, o.score, word, at), v, options, at, word)
                      : attend_softly(wanted, q, k, v, options, at);
  };
  if (q.owner != nullptr && by_network && o.heads != 1)
    return q.owner->fail(168, at, graph::named{word, o.score.name},
                         ": a score by a network takes one head, found ", o.heads);
  if (o.mode == attention_mode::kind::soft) {
    const expr made = softly(kind, o);
    if (kind == op::attention_map || o.dropout == 0) return made;
    const expr thinned = dropout(made, o.dropout, at);
    if (thinned.valid()) thinned.owner->nodes[thinned.id].settings.dropout.of_weights = true;
    return thinned;
  }
  if (q.owner != nullptr && o.kv_heads != 0 && o.kv_heads != o.heads)
    return q.owner->fail(169, at, word, ": ", is_local(o.mode) ? "local" : "hard",
                         " attention takes as many key heads as heads, found ", o.kv_heads, " and ", o.heads);
  expr weights;
  if (is_local(o.mode)) {
    if (!is_float(q, at, word) || !is_float(k, at, word)) return {q.owner};
    if (q.rank() < 2 || k.rank() != q.rank() || o.soft_cap != 0)
      return o.soft_cap != 0
                 ? q.owner->fail(170, at, word, ": local attention takes no soft cap, found ", o.soft_cap)
                 : softly(kind, o); // which says what is wrong
    // Far keys are hidden by what is added to their scores before.
    if (o.score.function.count > 0 && !adds_to_score(o.score.function))
      return q.owner->fail(403, at, word,
                           ": local attention takes a score that adds to the product, as alibi does, ",
                           "found one that changes it otherwise");
    const locality around = around_centres(q, k.size(-2), o.mode, word, at);
    if (!around.bias.valid()) return {q.owner};
    attention_options near = o;
    near.bias = o.bias.owner == nullptr ? around.bias : apply(op::add, {o.bias, at}, {around.bias, at});
    const expr map = softly(op::attention_map, near);
    if (!map.valid()) return map;
    weights = apply(op::multiply, {map, at}, {around.share, at});
  } else {
    weights = largest_alone(softly(op::attention_map, o), at);
  }
  if (kind == op::attention_map) return weights;
  return weighted_values(o.dropout == 0 ? weights : dropout(weights, o.dropout, at), v, o.heads, at);
}

} // namespace detail

/// Multi-head attention without projections (Vaswani et al. 2017, eq. 1).
///   q [B, queries, heads * d], k [B, keys, kv_heads * d], v [B, keys, kv_heads * e] -> [B, queries, heads *
///   e]
/// (B may be missing). Heads lie side by side in the features. With fewer queries than keys, query i sits at
/// position keys - queries + i. A row that sees no key gives zeros. Errors: sizes that differ, heads that do
/// not divide.
constexpr expr attention(expr q, expr k, expr v, const attention_options& options = {},
                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::attend_to(op::attention, q, k, v, options, at);
}

/// With a number of heads that is not named.
template <std::integral number>
constexpr expr attention(expr q, expr, expr, number heads,
                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (q.owner == nullptr) return {};
  return q.owner->fail(334, at, "attention: heads are named, as in attention(q, k, v, {.heads = ",
                       static_cast<std::int64_t>(heads), "})");
}

/// The weights that attention of the same operands gives each key: [B, heads, queries, keys]; rows sum to 1,
/// or are zeros where no key is seen.
constexpr expr attention_map(expr q, expr k, expr v, const attention_options& options = {},
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::attend_to(op::attention_map, q, k, v, options, at);
}

struct attend_options {
  attention_mask mask = {};
  attention_mode mode = core::soft;
};

namespace detail {

constexpr expr attend_scores(op kind, expr scores, expr v, const attend_options& o, source_place at) {
  const char* word = kind == op::attention_map ? "attend_map" : "attend";
  at = at.as(word);
  attention_options options{.mask = o.mask};
  if (o.mode == attention_mode::kind::soft) return attend_by(kind, scores, v, options, at, word);
  if (scores.owner != nullptr && o.mode == attention_mode::kind::local_p)
    return scores.owner->fail(171, at, graph::named{word, o.mode.name},
                              ": local_p predicts from queries, which scores alone do not have; compute ",
                              "centres, and give them to local_m");
  expr weights;
  if (o.mode == attention_mode::kind::local_m) {
    if (!is_float(scores, at, word)) return {scores.owner};
    if (scores.rank() < 2) return attend_by(kind, scores, v, options, at, word); // which says what is wrong
    const locality around = around_centres(scores, scores.size(-1), o.mode, word, at);
    if (!around.bias.valid()) return {scores.owner};
    options.bias = around.bias;
    const expr map = attend_by(op::attention_map, scores, v, options, at, word);
    if (!map.valid()) return map;
    weights = apply(op::multiply, {map, at}, {around.share, at});
  } else {
    weights = largest_alone(attend_by(op::attention_map, scores, v, options, at, word), at);
  }
  return kind == op::attention_map ? weights : weighted_values(weights, v, 1, at);
}

} // namespace detail

/// Attention by scores of any kind: scores [B, queries, keys], v [B, keys, features] -> [B, queries,
/// features] (B may be missing): the sum of the values by the softmax of the scores. Errors: sizes that
/// differ.
constexpr expr attend(expr scores, expr v, const attend_options& options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::attend_scores(op::attention, scores, v, options, at);
}

/// The weights of `attend`: [B, 1, queries, keys].
constexpr expr attend_map(expr scores, expr v, const attend_options& options = {},
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::attend_scores(op::attention_map, scores, v, options, at);
}

/// The map of the attention that was declared last on x's graph, as one more value: [B, heads, queries,
/// keys]. For looking into a block that gives no map: after x = block(x), g.output("map",
/// last_attention_map(x)). Hard attention has no such node. Errors: no attention before.
constexpr expr last_attention_map(expr x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "last_attention_map")) return {x.owner};
  graph& g = *x.owner;
  int id = g.node_count - 1;
  while (id >= 0 && (g.nodes[id].kind != op::attention || g.nodes[id].region != g.current_region)) --id;
  if (id < 0) return g.fail(172, at, "last_attention_map: no attention has been declared before");
  const expr q{&g, g.operand(id, 0)}, k{&g, g.operand(id, 1)}, v{&g, g.operand(id, 2)};
  node made = g.nodes[id];
  made.kind = op::attention_map;
  made.shape = {};
  made.at = at.as("last_attention_map");
  if (g.nodes[id].shape.rank == 3) made.shape.push(g.nodes[id].shape[0]);
  made.shape.push(g.intern(made.settings.attention.heads));
  made.shape.push(g.shape_of(q)[-2]);
  made.shape.push(g.shape_of(k)[-2]);
  const int count = g.nodes[id].operand_count;
  const expr map = g.add(made, q, k, v);
  if (!map.valid()) return map;
  for (int i = 3; i < count; ++i) g.add_operand({&g, g.operand(id, i)});
  return map;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::attend, core::attend_map, core::attend_options, core::attention, core::attention_map,
    core::last_attention_map;
} // namespace fovea
