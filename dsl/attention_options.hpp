#pragma once

#include <cstdint>

#include <fovea/dsl/attention_mode.hpp>
#include <fovea/dsl/attention_score.hpp>

namespace fovea::core {

struct attention_options {
  int heads = 1;
  /// 0: as many as heads; else it divides heads, and query head h reads key head h / (heads / kv_heads).
  int kv_heads = 0;
  attention_score score = {};
  attention_mask mask = {};
  /// Added to the scores: [heads, queries, keys], or what broadcasts to [batch, heads, queries, keys].
  expr bias = {};
  /// 0: 1 / sqrt(head width); for `dot` and `general`, 1.
  double scale = 0;
  /// 0: none; else scores become soft_cap * tanh(score / soft_cap) (Gemma 2).
  double soft_cap = 0;
  attention_mode mode = core::soft;
  double dropout = 0; // of the weights, while training
};

namespace detail {

inline constexpr int most_heads = 32767;

constexpr bool heads_divide(graph& g, const char* which, expr x, std::int64_t width, int heads,
                            source_place at, const char* word) {
  if (width % heads == 0) return true;
  const std::int64_t above = (width / heads + 1) * heads;
  int fewer = heads < width ? heads : static_cast<int>(width);
  while (width % fewer != 0) --fewer;
  g.fail(143, at, word, ": ", heads, " heads do not divide the ", width, " features of the ", which, " ", x,
         "; ", fewer, fewer == 1 ? " head or " : " heads or ", above, " features would fit");
  return false;
}

/// Whether rotary positions turn the heads that attention reads.
constexpr bool turned_as_read(graph& g, const char* which, expr x, std::int64_t width, int heads,
                              source_place at, const char* word) {
  const node& n = g.nodes[x.id];
  if (n.kind != op::rope || n.settings.rope.heads == heads) return true;
  const int turned = n.settings.rope.heads;
  g.fail(144, at, word, ": rope turns the ", which, " ", x, " as ", turned, " heads of ", width / turned,
         " features, attention reads it as ", heads, " of ", width / heads);
  return false;
}

/// Whether a recorded score or mask is sound, and reads its tables by the axes of these scores ([batch,]
/// heads, queries, keys).
constexpr bool lambda_fits(graph& g, const scalar_function& f, const char* which, const shape& scores,
                           source_place at, const char* word) {
  if (f.fault != nullptr) {
    g.fail(145, at, word, ": the ", which, " lambda ", f.fault);
    return false;
  }
  for (int i = 0; i < f.count; ++i) {
    if (f.nodes[i].kind != op::table_at) continue;
    if (f.captured_from != &g) {
      g.fail(146, at, word, ": the ", which, " lambda reads a table of another graph");
      return false;
    }
    const expr table{&g, f.captures[f.nodes[i].capture]};
    if (!g.usable(table, at, word)) return false;
    for (int k = 0; k < f.nodes[i].operand_count; ++k) {
      const op by = f.nodes[f.nodes[i].operands[k]].kind;
      const std::uint16_t size = g.shape_of(table)[k];
      const bool batch = by == op::batch_index && scores.rank == 4;
      if ((batch && size != scores[0]) || (by == op::head_index && size != scores[-3])) {
        g.fail(147, at, word, ": the ", which, " lambda reads axis ", k, " of ", table, " by ",
               batch ? "batch row" : "head", ", of which there are ",
               g.dim_of(batch ? scores[0] : scores[-3]));
        return false;
      }
    }
  }
  return true;
}

/// Whether q, k and v have the axes of an attention.
constexpr bool operands_fit(graph& g, expr q, expr k, expr v, source_place at, const char* word) {
  const shape sq = g.shape_of(q), sk = g.shape_of(k), sv = g.shape_of(v);
  if (sq.rank < 2 || sq.rank > 3 || sk.rank != sq.rank || sv.rank != sq.rank)
    g.fail(151, at, word, ": expected [batch, positions, features] or [positions, features], found query ", q,
           ", key ", k, " and value ", v);
  else if (sq.rank == 3 && (sq[0] != sk[0] || sq[0] != sv[0]))
    g.fail(152, at, word, ": query ", q, ", key ", k, " and value ", v, " must have the same batch axis");
  else if (sk[-2] != sv[-2])
    g.fail(153, at, word, ": key ", k, " and value ", v, " must have as many positions, found ",
           g.dim_of(sk[-2]), " and ", g.dim_of(sv[-2]));
  return g.error.empty();
}

/// Whether so many heads divide them into parts of the same width.
constexpr bool heads_fit(graph& g, expr q, expr k, expr v, int heads, int kv_heads, source_place at,
                         const char* word) {
  const auto width = [&g](expr x) { return g.number(g.shape_of(x)[-1]); };
  const std::int64_t wq = width(q), wk = width(k), wv = width(v);
  if (heads < 1 || heads > most_heads) {
    g.fail(154, at, word, ": expected 1 to ", most_heads, " heads, found ", heads);
    return false;
  }
  if (kv_heads < 1 || heads % kv_heads != 0) {
    g.fail(155, at, word, ": ", kv_heads, " key heads do not divide ", heads, " query heads");
    return false;
  }
  if (!heads_divide(g, "query", q, wq, heads, at, word) ||
      !heads_divide(g, "key", k, wk, kv_heads, at, word) ||
      !heads_divide(g, "value", v, wv, kv_heads, at, word))
    return false;
  if (wq / heads != wk / kv_heads) {
    g.fail(156, at, word, ": a query head of ", q, " has ", wq / heads, " features and a key head of ", k,
           " has ", wk / kv_heads, "; they must be equal");
    return false;
  }
  return turned_as_read(g, "query", q, wq, heads, at, word) &&
         turned_as_read(g, "key", k, wk, kv_heads, at, word);
}

/// Whether what an attention is told beside its operands is in range.
constexpr bool options_fit(graph& g, const attention_options& o, source_place at, const char* word) {
  if (o.score.heads != attention_score::any_heads && o.score.heads != o.heads)
    g.fail(157, at, word, ": alibi has slopes for ", o.score.heads, " heads, and there are ", o.heads,
           "; write alibi(", o.heads, ")");
  else if (o.mask.expected != nullptr)
    g.fail(158, at, word, ": ", o.mask.expected, ", found ", o.mask.found);
  else if (!is_finite(o.scale))
    g.fail(159, at, word, ": expected a finite scale, found ", o.scale);
  else if (!(o.soft_cap >= 0 && is_finite(o.soft_cap)))
    g.fail(160, at, word, ": expected a finite soft cap of at least 0, found ", o.soft_cap);
  else if (!(o.dropout >= 0 && o.dropout < 1))
    g.fail(161, at, word, ": expected a dropout of at least 0 and below 1, found ", o.dropout);
  return g.error.empty();
}

/// Whether bias and lambdas fit scores of this shape.
constexpr bool changes_fit(graph& g, const attention_options& o, const shape& scores, source_place at,
                           const char* word) {
  if (o.bias.owner != nullptr) {
    shape joint;
    if (!g.usable(o.bias, at, word) || !is_float(o.bias, at, word)) return false;
    if (!broadcast(g, g.shape_of(o.bias), scores, joint) || !(joint == scores))
      g.fail(162, at, word, ": the bias ", o.bias, " does not broadcast to the scores ", scores);
  }
  if (!o.score.function.empty() && o.score.function.type() == element::boolean)
    g.fail(163, at, word, ": a score lambda gives a number, found a boolean; a mask lambda goes to .mask");
  if (!o.mask.function.empty() && o.mask.function.type() != element::boolean)
    g.fail(164, at, word, ": a mask lambda gives a boolean, found a number; a score lambda goes to .score");
  return g.error.empty() && lambda_fits(g, o.score.function, "score", scores, at, word) &&
         lambda_fits(g, o.mask.function, "mask", scores, at, word);
}

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::attention_options;
} // namespace fovea
