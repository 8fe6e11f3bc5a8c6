#pragma once

#include <concepts>

#include <fovea/dsl/mask.hpp>
#include <fovea/dsl/shape_words.hpp>

namespace fovea {

/// How a query and a key are compared. A lambda (score, query, key[, head[, batch]]) changes the scaled dot product.
struct score {
  enum class kind : std::uint8_t { scaled_dot, dot, general };
  kind how = kind::scaled_dot;
  const char* name = "";
  scalar_function function = {};

  constexpr score(kind k = kind::scaled_dot, const char* n = "") : how(k), name(n) {}
  template <class F>
    requires(std::invocable<F, scalar, scalar, scalar> || std::invocable<F, scalar, scalar, scalar, scalar> ||
             std::invocable<F, scalar, scalar, scalar, scalar, scalar>)
  constexpr score(F f) {
    const scalar s = detail::leaf(function, op::score), q = detail::leaf(function, op::query_position),
                 k = detail::leaf(function, op::key_position);
    const auto result = [&]() -> scalar {
      if constexpr (std::invocable<F, scalar, scalar, scalar>) return f(s, q, k);
      else if constexpr (std::invocable<F, scalar, scalar, scalar, scalar>) return f(s, q, k, detail::leaf(function, op::head_index));
      else return f(s, q, k, detail::leaf(function, op::head_index), detail::leaf(function, op::batch_index));
    }();
    detail::finish(function, result);
  }
};

/// q . k / sqrt(head width) (Vaswani et al. 2017); the default.
inline constexpr score scaled_dot{score::kind::scaled_dot};
/// q . k (Luong et al. 2015, "dot").
inline constexpr score dot{score::kind::dot};
/// q W k with a learned matrix (Luong et al. 2015, "general"). Makes name.weight [query width, key width].
constexpr score general(const char* name) { return {score::kind::general, name}; }

enum class attention_mode : std::uint8_t { soft };
/// A weighted mean over the keys; the default.
inline constexpr attention_mode soft = attention_mode::soft;

struct attention_options {
  int heads = 1;
  int kv_heads = 0; // 0: as many as heads; else it divides heads, and query head h reads key head h / (heads / kv_heads)
  fovea::score score = {};
  fovea::mask mask = {};
  expr bias = {};      // added to the scores: [heads, queries, keys], or what broadcasts to [batch, heads, queries, keys]
  double scale = 0;    // 0: 1 / sqrt(head width); for `dot` and `general`, 1
  double soft_cap = 0; // 0: none; else scores become soft_cap * tanh(score / soft_cap) (Gemma 2)
  attention_mode mode = fovea::soft;
  double dropout = 0;
};

namespace detail {

// Operands: q, k, v, then bias if there is one, then the tables that the score captures, then those of the mask.
// attributes: heads | kv_heads << 16, has bias, score function or -1, mask function or -1; number: scale; second_number:
// soft cap.
constexpr expr attend_to(op kind, expr q, expr k, expr v, const attention_options& o, place at) {
  const char* word = word_of(kind);
  if (q.owner == nullptr) return {};
  graph& g = *q.owner;
  for (expr x : {q, k, v})
    if (!g.usable(x, at, word) || !is_float(x, at, word)) return {&g};
  if (o.score.how == score::kind::general) {
    const std::int64_t query_width = width_of(q, at, word, o.score.name), key_width = width_of(k, at, word, o.score.name);
    if (query_width == 0 || key_width == 0) return {&g};
    if (o.heads != 1) return g.fail(at, word, ": the score general(\"", o.score.name, "\") takes one head, found ", o.heads);
    const scope inside(&g, o.score.name, scope_name::no_index, at);
    q = matmul(q, parameter(q, "weight", {query_width, key_width}, {}, at), at);
    if (!q.valid()) return {&g};
  }
  const shape &sq = g.shape_of(q), &sk = g.shape_of(k), &sv = g.shape_of(v);
  if (sq.rank < 2 || sq.rank > 3 || sk.rank != sq.rank || sv.rank != sq.rank)
    return g.fail(at, word, ": expected query, key and value of [batch, positions, features] or [positions, features], found ", q,
                  ", ", k, " and ", v);
  if (sq.rank == 3 && (sq[0] != sk[0] || sq[0] != sv[0]))
    return g.fail(at, word, ": query ", q, ", key ", k, " and value ", v, " must have the same batch axis");
  if (sk[-2] != sv[-2])
    return g.fail(at, word, ": key ", k, " and value ", v, " must have as many positions, found ", g.dim_of(sk[-2]), " and ",
                  g.dim_of(sv[-2]));
  const std::int64_t wq = width_of(q, at, word, "query"), wk = width_of(k, at, word, "key"), wv = width_of(v, at, word, "value");
  if (wq == 0 || wk == 0 || wv == 0) return {&g};
  const int heads = o.heads, kv_heads = o.kv_heads == 0 ? o.heads : o.kv_heads;
  if (heads < 1 || heads > 32767) return g.fail(at, word, ": expected at least 1 head, found ", heads);
  if (kv_heads < 1 || heads % kv_heads != 0)
    return g.fail(at, word, ": ", kv_heads, " key heads do not divide ", heads, " query heads");
  if (wq % heads != 0) return g.fail(at, word, ": ", heads, " heads do not divide the ", wq, " features of the query ", q);
  if (wk % kv_heads != 0) return g.fail(at, word, ": ", kv_heads, " heads do not divide the ", wk, " features of the key ", k);
  if (wv % kv_heads != 0) return g.fail(at, word, ": ", kv_heads, " heads do not divide the ", wv, " features of the value ", v);
  if (wq / heads != wk / kv_heads)
    return g.fail(at, word, ": a query head of ", q, " has ", wq / heads, " features and a key head of ", k, " has ", wk / kv_heads,
                  "; they must be equal");
  const bool has_bias = o.bias.owner != nullptr;
  shape scores;
  if (sq.rank == 3) scores.push(sq[0]);
  scores.push(g.intern(heads));
  scores.push(sq[-2]);
  scores.push(sk[-2]);
  if (has_bias) {
    shape joined;
    if (!g.usable(o.bias, at, word) || !is_float(o.bias, at, word)) return {&g};
    if (!broadcast(g, g.shape_of(o.bias), scores, joined) || !(joined == scores))
      return g.fail(at, word, ": the bias ", o.bias, " does not broadcast to the scores ", scores);
  }
  if (!(o.soft_cap >= 0)) return g.fail(at, word, ": the soft cap is below 0");
  if (!o.score.function.empty() && o.score.function.nodes[o.score.function.count - 1].type == element::boolean)
    return g.fail(at, word, ": a score lambda gives a number, found a boolean; a mask lambda goes to .mask");
  if (!o.mask.function.empty() && o.mask.function.nodes[o.mask.function.count - 1].type != element::boolean)
    return g.fail(at, word, ": a mask lambda gives a boolean, found a number; a score lambda goes to .score");
  for (const scalar_function* f : {&o.score.function, &o.mask.function})
    for (int i = 0; i < f->count; ++i) {
      if (f->nodes[i].kind != op::table_at) continue;
      if (f->captured_from == nullptr || f->captured_from != &g)
        return g.fail(at, word, ": a lambda reads a table of another graph");
      const expr table{&g, f->captures[f->nodes[i].capture]};
      if (!g.usable(table, at, word)) return {&g};
      if (g.shape_of(table).rank != f->nodes[i].operand_count)
        return g.fail(at, word, ": a lambda reads ", table, " by ", static_cast<int>(f->nodes[i].operand_count), " positions, expected ",
                      static_cast<int>(g.shape_of(table).rank));
    }
  const int score_function = o.score.function.empty() ? -1 : g.add_function(o.score.function, at, word);
  const int mask_function = o.mask.function.empty() ? -1 : g.add_function(o.mask.function, at, word);
  if (!g.error.empty()) return {&g};
  double scale = o.scale;
  if (scale == 0) scale = o.score.how == score::kind::scaled_dot ? 1 / square_root(static_cast<double>(wq / heads)) : 1;
  shape s = kind == op::attention_map ? scores : sq;
  if (kind == op::attention) s[-1] = g.intern(wv / kv_heads * heads);
  expr made = g.add({.kind = kind, .shape = s,
                     .attributes = {heads | kv_heads << 16, has_bias, score_function, mask_function},
                     .number = scale, .second_number = o.soft_cap, .at = at},
                    q, k, v);
  if (!made.valid()) return made;
  if (has_bias) g.add_operand(o.bias);
  for (const scalar_function* f : {&o.score.function, &o.mask.function})
    for (int i = 0; i < f->capture_count; ++i) g.add_operand({&g, f->captures[i]});
  return made;
}

} // namespace detail

/// Multi-head attention without projections (Vaswani et al. 2017, eq. 1).
///   q [B, queries, heads * d], k [B, keys, kv_heads * d], v [B, keys, kv_heads * e] -> [B, queries, heads * e]
/// (B may be missing). Heads lie side by side in the features. With fewer queries than keys, query i sits at position
/// keys - queries + i. A row that sees no key gives zeros. Errors: sizes that differ, heads that do not divide.
constexpr expr attention(expr q, expr k, expr v, const attention_options& options = {},
                         place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::attend_to(op::attention, q, k, v, options, at);
}

/// The weights that attention of the same operands gives each key: [B, heads, queries, keys]; rows sum to 1, or are zeros
/// where no key is seen.
constexpr expr attention_map(expr q, expr k, expr v, const attention_options& options = {},
                             place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::attend_to(op::attention_map, q, k, v, options, at);
}

} // namespace fovea
