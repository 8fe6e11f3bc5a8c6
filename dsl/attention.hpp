#pragma once

#include <concepts>

#include <fovea/dsl/mask.hpp>
#include <fovea/dsl/shape_words.hpp>

namespace fovea {

/// How a query and a key are compared. A lambda (score, query, key[, head[, batch]]) changes the score,
/// already scaled, biased and capped.
struct score {
  enum class kind : std::uint8_t { scaled_dot, dot, general };
  kind how = kind::scaled_dot;
  const char* name = "";
  scalar_function function = {};

  constexpr score(kind k = kind::scaled_dot, const char* n = "") : how(k), name(n) {}
  template <class F>
  requires(std::invocable<F, scalar, scalar, scalar> || std::invocable<F, scalar, scalar, scalar, scalar> ||
           std::invocable<F, scalar, scalar, scalar, scalar, scalar>) constexpr score(F f) {
    const scalar s = detail::leaf(function, op::score), q = detail::leaf(function, op::query_position),
                 k = detail::leaf(function, op::key_position);
    const auto result = [&]() -> scalar {
      if constexpr (std::invocable<F, scalar, scalar, scalar>)
        return f(s, q, k);
      else if constexpr (std::invocable<F, scalar, scalar, scalar, scalar>)
        return f(s, q, k, detail::leaf(function, op::head_index));
      else
        return f(s, q, k, detail::leaf(function, op::head_index), detail::leaf(function, op::batch_index));
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
  /// 0: as many as heads; else it divides heads, and query head h reads key head h / (heads / kv_heads).
  int kv_heads = 0;
  fovea::score score = {};
  fovea::mask mask = {};
  /// Added to the scores: [heads, queries, keys], or what broadcasts to [batch, heads, queries, keys].
  expr bias = {};
  /// 0: 1 / sqrt(head width); for `dot` and `general`, 1.
  double scale = 0;
  /// 0: none; else scores become soft_cap * tanh(score / soft_cap) (Gemma 2).
  double soft_cap = 0;
  attention_mode mode = fovea::soft;
  double dropout = 0;
};

namespace detail {

constexpr double square_root(double x) {
  double root = x < 1 ? 1 : x;
  for (int i = 0; i < 64; ++i) root = (root + x / root) / 2;
  return root;
}

inline constexpr int most_heads = 32767;

constexpr bool heads_divide(graph& g, const char* which, expr x, std::int64_t width, int heads, place at,
                            const char* word) {
  if (width % heads == 0) return true;
  const std::int64_t above = (width / heads + 1) * heads;
  int fewer = heads < width ? heads : static_cast<int>(width);
  while (width % fewer != 0) --fewer;
  g.fail(at, word, ": ", heads, " heads do not divide the ", width, " features of the ", which, " ", x, "; ",
         fewer, fewer == 1 ? " head or " : " heads or ", above, " features would fit");
  return false;
}

/// Whether a recorded score or mask is sound, and reads its tables by the axes of these scores ([batch,]
/// heads, queries, keys).
constexpr bool lambda_fits(graph& g, const scalar_function& f, const char* which, const shape& scores,
                           place at, const char* word) {
  if (f.fault != nullptr) {
    g.fail(at, word, ": the ", which, " lambda ", f.fault);
    return false;
  }
  for (int i = 0; i < f.count; ++i) {
    if (f.nodes[i].kind != op::table_at) continue;
    if (f.captured_from != &g) {
      g.fail(at, word, ": the ", which, " lambda reads a table of another graph");
      return false;
    }
    const expr table{&g, f.captures[f.nodes[i].capture]};
    if (!g.usable(table, at, word)) return false;
    for (int k = 0; k < f.nodes[i].operand_count; ++k) {
      const op by = f.nodes[f.nodes[i].operands[k]].kind;
      const std::uint16_t size = g.shape_of(table)[k];
      const bool batch = by == op::batch_index && scores.rank == 4;
      if ((batch && size != scores[0]) || (by == op::head_index && size != scores[-3])) {
        g.fail(at, word, ": the ", which, " lambda reads axis ", k, " of ", table, " by ",
               batch ? "batch row" : "head", ", of which there are ",
               g.dim_of(batch ? scores[0] : scores[-3]));
        return false;
      }
    }
  }
  return true;
}

// Operands: q, k, v, then bias if there is one, then the tables that the score captures, then those of the
// mask. attributes: heads | kv_heads << 16, has bias, score function or -1, mask function or -1; number:
// scale; second_number: soft cap.
constexpr expr attend_to(op kind, expr q, expr k, expr v, const attention_options& o, place at) {
  const char* word = word_of(kind);
  if (q.owner == nullptr) return {};
  graph& g = *q.owner;
  for (expr x : {q, k, v})
    if (!g.usable(x, at, word) || !is_float(x, at, word)) return {&g};
  const std::int64_t wk = width_of(k, at, word), wv = width_of(v, at, word);
  std::int64_t wq = width_of(q, at, word);
  if (!g.error.empty()) return {&g};
  if (o.score.how == score::kind::general) {
    const graph::named who{word, o.score.name};
    if (o.heads != 1) return g.fail(at, who, ": the score `general` takes one head, found ", o.heads);
    const scope inside(&g, o.score.name, scope_name::no_index, at);
    q = matmul(q, parameter(q, "weight", {wq, wk}, {}, at), at);
    if (!q.valid()) return {&g};
    wq = wk;
  }
  const shape sq = g.shape_of(q), sk = g.shape_of(k), sv = g.shape_of(v);
  if (sq.rank < 2 || sq.rank > 3 || sk.rank != sq.rank || sv.rank != sq.rank)
    return g.fail(at, word, ": expected [batch, positions, features] or [positions, features], found query ",
                  q, ", key ", k, " and value ", v);
  if (sq.rank == 3 && (sq[0] != sk[0] || sq[0] != sv[0]))
    return g.fail(at, word, ": query ", q, ", key ", k, " and value ", v, " must have the same batch axis");
  if (sk[-2] != sv[-2])
    return g.fail(at, word, ": key ", k, " and value ", v, " must have as many positions, found ",
                  g.dim_of(sk[-2]), " and ", g.dim_of(sv[-2]));
  const int heads = o.heads, kv_heads = o.kv_heads == 0 ? o.heads : o.kv_heads;
  if (heads < 1 || heads > most_heads)
    return g.fail(at, word, ": expected 1 to ", most_heads, " heads, found ", heads);
  if (kv_heads < 1 || heads % kv_heads != 0)
    return g.fail(at, word, ": ", kv_heads, " key heads do not divide ", heads, " query heads");
  if (!heads_divide(g, "query", q, wq, heads, at, word) ||
      !heads_divide(g, "key", k, wk, kv_heads, at, word) ||
      !heads_divide(g, "value", v, wv, kv_heads, at, word))
    return {&g};
  if (wq / heads != wk / kv_heads)
    return g.fail(at, word, ": a query head of ", q, " has ", wq / heads, " features and a key head of ", k,
                  " has ", wk / kv_heads, "; they must be equal");
  if (!(o.soft_cap >= 0)) return g.fail(at, word, ": expected a soft cap of at least 0, found ", o.soft_cap);
  if (!(o.dropout >= 0 && o.dropout < 1))
    return g.fail(at, word, ": expected a dropout of at least 0 and below 1, found ", o.dropout);
  const bool has_bias = o.bias.owner != nullptr;
  shape scores;
  if (sq.rank == 3) scores.push(sq[0]);
  scores.push(g.intern(heads));
  scores.push(sq[-2]);
  scores.push(sk[-2]);
  if (has_bias) {
    shape joined;
    if (!is_float(o.bias, at, word)) return {&g};
    if (!broadcast(g, g.shape_of(o.bias), scores, joined) || !(joined == scores))
      return g.fail(at, word, ": the bias ", o.bias, " does not broadcast to the scores ", scores);
  }
  if (!o.score.function.empty() && o.score.function.type() == element::boolean)
    return g.fail(at, word, ": a score lambda gives a number, found a boolean; a mask lambda goes to .mask");
  if (!o.mask.function.empty() && o.mask.function.type() != element::boolean)
    return g.fail(at, word, ": a mask lambda gives a boolean, found a number; a score lambda goes to .score");
  if (!lambda_fits(g, o.score.function, "score", scores, at, word) ||
      !lambda_fits(g, o.mask.function, "mask", scores, at, word))
    return {&g};
  const int score_function = o.score.function.empty() ? -1 : g.add_function(o.score.function, at, word);
  scalar_function visible = o.mask.function;
  visible.looks_ahead = o.mask.looks_ahead;
  const int mask_function = visible.empty() ? -1 : g.add_function(visible, at, word);
  if (!g.error.empty()) return {&g};
  double scale = o.scale;
  if (scale == 0)
    scale = o.score.how == score::kind::scaled_dot ? 1 / square_root(static_cast<double>(wq / heads)) : 1;
  shape s = kind == op::attention_map ? scores : sq;
  if (kind == op::attention) s[-1] = g.intern(wv / kv_heads * heads);
  expr made = g.add({.kind = kind,
                     .shape = s,
                     .attributes = {heads | kv_heads << 16, has_bias, score_function, mask_function},
                     .number = scale,
                     .second_number = o.soft_cap,
                     .at = at},
                    q, k, v);
  if (!made.valid()) return made;
  if (has_bias) g.add_operand(o.bias);
  for (const scalar_function* f : {&o.score.function, &o.mask.function})
    for (int i = 0; i < f->capture_count; ++i) g.add_operand({&g, f->captures[i]});
  return made;
}

} // namespace detail

/// Multi-head attention without projections (Vaswani et al. 2017, eq. 1).
///   q [B, queries, heads * d], k [B, keys, kv_heads * d], v [B, keys, kv_heads * e] -> [B, queries, heads *
///   e]
/// (B may be missing). Heads lie side by side in the features. With fewer queries than keys, query i sits at
/// position keys - queries + i. A row that sees no key gives zeros. Errors: sizes that differ, heads that do
/// not divide.
constexpr expr attention(expr q, expr k, expr v, const attention_options& options = {},
                         place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::attend_to(op::attention, q, k, v, options, at);
}

/// The weights that attention of the same operands gives each key: [B, heads, queries, keys]; rows sum to 1,
/// or are zeros where no key is seen.
constexpr expr attention_map(expr q, expr k, expr v, const attention_options& options = {},
                             place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::attend_to(op::attention_map, q, k, v, options, at);
}

} // namespace fovea
