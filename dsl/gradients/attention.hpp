#pragma once

#include <fovea/dsl/attention.hpp>
#include <fovea/dsl/gradients/elementwise.hpp>
#include <fovea/dsl/plan/mask_bounds.hpp>

namespace fovea::core::detail {

/// The recorded score of an attention in words, over all queries and keys at once, and its gradient by the
/// rules of the words it is made of.
template <class S>
struct score_words {
  S& site;
  const scalar_function& f;
  int first_table; // the operand that its first table is
  bool batched;    // whether scores are [batch, heads, queries, keys]
  shape scores;
  expr map; // of the attention, shaped as the scores
  std::int32_t values[scalar_function::max_nodes] = {}, gradients[scalar_function::max_nodes] = {};
  expr indices[scalar_function::max_nodes] = {};

  // What a rule of an elementwise word sees of one of the function's nodes.
  struct scalar_site {
    score_words& words;
    int i;
    node n;
    expr d;

    constexpr expr x(int k) const { return words.value(words.f.nodes[i].operands[k]); }
    constexpr expr y() const { return words.value(i); }
    constexpr bool wants(int k) const {
      return words.f.nodes[words.f.nodes[i].operands[k]].type == element::f32;
    }
    constexpr void pass(int k, expr gradient) { words.add(words.f.nodes[i].operands[k], gradient); }
  };

  constexpr graph& g() const { return *site.d.owner; }
  constexpr expr value(int i) const { return {&g(), values[i]}; }
  constexpr void add(int i, expr gradient) {
    gradient = arriving(gradient, i); // before it joins others, which may have fewer axes
    gradients[i] = gradients[i] < 0
                       ? gradient.id
                       : (located({&g(), gradients[i]}, site.n.at) + located(gradient, site.n.at)).id;
  }
  /// 0, 1, ... along axis `i` of the scores, counted from the last.
  constexpr expr places(int i) const {
    shape s;
    s.push(scores[-i]);
    for (int k = 1; k < i; ++k) s.push(g().intern(1));
    return reshape_to(range(site.d, g().dim_of(scores[-i]), site.n.at), s, site.n.at);
  }
  /// The row of a table, flat, that each score reads.
  constexpr expr row_of(int i, expr table) const {
    const scalar_node& n = f.nodes[i];
    const source_place at = site.n.at;
    expr row;
    for (int k = 0; k < n.operand_count; ++k) {
      const dim size = g().dim_of(g().shape_of(table)[k]);
      const expr last = size_less_one(size);
      const expr inside =
          max(located(min(located(value(n.operands[k]), at), located(last, at)), at), located(0, at));
      row = k == 0 ? inside
                   : located(located(row, at) * located(located(last, at) + located(1, at), at), at) +
                         located(inside, at);
    }
    return row;
  }
  constexpr expr size_less_one(const dim& size) const {
    if (size.is_number())
      return g().add({.kind = op::constant,
                      .type = element::i32,
                      .settings = {.number = static_cast<double>(size.number() - 1)},
                      .at = site.n.at});
    // argmax of 0, 1, ... is the last place
    return argmax(to_float(range(site.d, size, site.n.at), site.n.at), axis(0), {}, site.n.at);
  }
  constexpr expr flat(expr table) const {
    shape s;
    s.push(g().intern(elements_of(g(), g().shape_of(table))));
    return reshape_to(table, s, site.n.at);
  }

  /// The values of all nodes, given the score before it.
  constexpr expr evaluate(expr score) {
    const source_place at = site.n.at;
    for (int i = 0; i < f.count; ++i) {
      const scalar_node& n = f.nodes[i];
      gradients[i] = -1;
      expr made;
      const auto of = [&](int k) { return value(n.operands[k]); };
      switch (n.kind) {
        case op::constant:
          made = g().add({.kind = op::constant, .type = n.type, .settings = {.number = n.number}, .at = at});
          break;
        case op::score:
          made = score;
          break;
        case op::query_position: // query i of fewer queries than keys sits at keys - queries + i
          made = places(2);
          if (scores[-1] != scores[-2])
            made = located(made, at) + located(located(size_less_one(g().dim_of(scores[-1])), at) -
                                                   located(size_less_one(g().dim_of(scores[-2])), at),
                                               at);
          break;
        case op::key_position:
          made = places(1);
          break;
        case op::head_index:
          made = places(3);
          break;
        case op::batch_index:
          made = batched
                     ? places(4)
                     : g().add(
                           {.kind = op::constant, .type = element::i32, .settings = {.number = 0}, .at = at});
          break;
        case op::table_at: {
          const expr table = site.x(first_table + n.capture);
          indices[i] = row_of(i, table);
          made = gather(flat(table), indices[i], at);
          break;
        }
        case op::where:
          made = where(of(0), located(of(1), at), located(of(2), at), at);
          break;
        default:
          made = n.operand_count == 1 ? apply(n.kind, at, of(0))
                                      : apply(n.kind, located(of(0), at), located(of(1), at));
      }
      values[i] = made.id;
    }
    return value(f.count - 1);
  }

  /// A gradient that arrives at node `i`, in its shape. A pair that weighs nothing gives nothing: where a mask hides it,
  /// the score need not be defined (sqrt(query - key) under `causal`), and 0 times its derivative is not 0.
  constexpr expr arriving(expr d, int i) const {
    const source_place at = site.n.at;
    const op kind = f.nodes[i].kind;
    const shape to = g().shape_of(value(i));
    if (const shape from = g().shape_of(d); from != to || kind == op::score || kind == op::table_at) {
      const expr most = reduced_by(op::max_over, map, from, at);
      d = where(located(most, at) > located(0.0, at), located(d, at), located(0.0, at), at);
    }
    return reduced_to(d, to, at);
  }

  /// From the gradient of the result to that of the score; what tables get is passed on.
  constexpr expr differentiate(expr d) {
    const source_place at = site.n.at;
    expr of_score = filled(g(), 0, scores, at);
    add(f.count - 1, d);
    for (int i = f.count - 1; i >= 0; --i) {
      const scalar_node& n = f.nodes[i];
      if (gradients[i] < 0 || n.type != element::f32) continue;
      const expr reduced{&g(), gradients[i]};
      if (n.kind == op::score) {
        of_score = reduced;
      } else if (n.kind == op::table_at) {
        if (!site.wants(first_table + n.capture)) continue;
        const expr table = site.x(first_table + n.capture);
        const expr rows = g().add({.kind = op::scatter_add, .shape = g().shape_of(flat(table)), .at = at},
                                  indices[i], reduced);
        site.pass(first_table + n.capture, reshape_to(rows, g().shape_of(table), at));
      } else if (is_elementwise(n.kind) && n.kind != op::stop_gradient) {
        scalar_site one{*this, i, {.kind = n.kind, .type = n.type, .at = at}, reduced};
        elementwise_gradient(one);
      }
    }
    return of_score;
  }
};

/// The sum over the heads that share a key head: [..., kv_heads, heads of each, positions, d] with one of
/// each.
constexpr expr reduced_heads(expr x, source_place at) {
  if (!x.valid()) return x;
  const int axis_of_each = x.rank() - 3;
  return x.owner->shape_of(x)[axis_of_each] == x.owner->intern(1)
             ? x
             : sum(x, axis(axis_of_each), {.keep = true}, at);
}

/// Scaled products alone, masked by ranges of keys: one operation gives all three gradients.
///   attention_gradient  operands: q, k, v, dy, then the tables of the mask; told what the
///                       attention is; dq, dk and dv one behind the other, as one axis
template <class S>
constexpr void plain_attention_gradient(S& site) {
  graph& g = *site.d.owner;
  expr operands[16] = {};
  for (int i = 0; i < site.n.operand_count; ++i) operands[i] = site.x(i);
  dim elements = 0;
  for (int i = 0; i < 3; ++i) elements = elements + elements_of(g, site.shape_of(i));
  node made = site.n;
  made.kind = op::attention_gradient;
  made.shape = {};
  made.shape.push(g.intern(elements));
  const expr all = g.add(made, operands[0], operands[1], operands[2], site.d);
  for (int i = 3; i < site.n.operand_count && all.valid(); ++i) g.add_operand(operands[i]);
  pass_parts(site, all, 3);
}

/// Attention, with P its map: dv = P^T dy, dP = dy v^T, ds = P (dP - sum(dP P)); then through the recorded
/// score, the cap, the bias and the product of queries and keys. The map is computed again rather than kept
/// (Dao et al. 2022, section 3.1). Of attention_map dP is given.
template <class S>
struct attention_rule {
  S& site;
  graph& g = *site.d.owner;
  source_place at = site.n.at;
  const attention_settings& o = site.n.settings.attention;
  bool is_map = site.n.kind == op::attention_map;
  int first = site.shape_of(0).rank - 2; // axis, of positions
  shape scores = {};                     // [batch, heads, queries, keys]
  shape grouped = {};                    // the same with heads as [kv_heads, heads of each]

  constexpr located l(expr e) const { return located(e, at); }

  /// [batch, positions, heads * d] -> [batch, kv_heads, heads of each, positions, d]
  constexpr expr by_heads(expr x, int all) const {
    shape s = g.shape_of(x);
    const std::int64_t width = g.number(s[-1]) / all;
    s[-1] = g.intern(o.kv_heads), s.push(g.intern(all / o.kv_heads)), s.push(g.intern(width));
    int order[shape::max_rank] = {0, 1, 2, 3, 4};
    order[first] = first + 1, order[first + 1] = first + 2, order[first + 2] = first;
    return permute_axes(reshape_to(x, s, at), order, at);
  }
  /// and back
  constexpr expr together(expr x, const shape& whole) const {
    int order[shape::max_rank] = {0, 1, 2, 3, 4};
    order[first] = first + 2, order[first + 1] = first, order[first + 2] = first + 1;
    return reshape_to(permute_axes(x, order, at), whole, at);
  }
  constexpr void find_shapes() {
    if (first == 1) scores.push(site.shape_of(0)[0]);
    scores.push(g.intern(o.heads)), scores.push(site.shape_of(0)[-2]), scores.push(site.shape_of(1)[-2]);
    grouped = scores;
    ++grouped.rank;
    grouped[-1] = scores[-1], grouped[-2] = scores[-2];
    grouped[-3] = g.intern(o.heads / o.kv_heads), grouped[-4] = g.intern(o.kv_heads);
  }
  constexpr expr map() const {
    if (is_map) return site.y();
    expr operands[16] = {};
    for (int i = 0; i < site.n.operand_count; ++i) operands[i] = site.x(i);
    node again = site.n;
    again.kind = op::attention_map;
    again.shape = scores;
    const expr made = g.add(again, operands[0], operands[1], operands[2]);
    for (int i = 3; i < site.n.operand_count && made.valid(); ++i) g.add_operand(operands[i]);
    return made;
  }
  /// dP; dv is passed on.
  constexpr expr of_map(expr map, expr v) const {
    if (is_map) return site.d;
    const expr d = by_heads(site.d, o.heads);
    const expr made = reshape_to(matmul(d, transposed(v, at), at), scores, at);
    if (site.wants(2)) {
      const expr of_values = matmul(transposed(reshape_to(map, grouped, at), at), d, at);
      site.pass(2, together(reduced_heads(of_values, at), site.shape_of(2)));
    }
    return made;
  }
  /// From the gradient of what the softmax takes to that of products, scaled, with their bias.
  constexpr expr before_changes(expr of_scores, expr q, expr k, expr map) const {
    const bool capped = o.soft_cap != 0;
    if (!capped && o.score < 0) return of_scores;
    expr score = l(reshape_to(matmul(q, transposed(k, at), at), scores, at)) * located(o.scale, at);
    if (o.has_bias) score = l(score) + l(site.x(3));
    const expr turn = capped ? tanh(l(score) / located(o.soft_cap, at), at) : score;
    if (o.score >= 0) {
      score_words<S> words{site, g.functions[o.score], o.first_table(), first == 1, scores, map};
      words.evaluate(capped ? l(turn) * located(o.soft_cap, at) : score);
      of_scores = words.differentiate(of_scores);
    }
    return capped ? l(of_scores) * l(located(1.0, at) - l(l(turn) * l(turn))) : of_scores;
  }

  constexpr void run() {
    const expr q = by_heads(site.x(0), o.heads), k = by_heads(site.x(1), o.kv_heads),
               v = by_heads(site.x(2), o.kv_heads);
    find_shapes();
    const expr p = map();
    if (!p.valid()) return;
    const expr dp = of_map(p, v);
    const expr of_softmax = l(p) * l(l(dp) - l(sum(l(dp) * l(p), axis(-1), {.keep = true}, at)));
    const expr of_scores = before_changes(of_softmax, q, k, p);
    if (o.has_bias && site.wants(3)) site.pass(3, of_scores);
    const expr scaled = reshape_to(l(of_scores) * located(o.scale, at), grouped, at);
    if (site.wants(0)) site.pass(0, together(matmul(scaled, k, at), site.shape_of(0)));
    if (site.wants(1))
      site.pass(1, together(reduced_heads(matmul(transposed(scaled, at), q, at), at), site.shape_of(1)));
  }
};

template <class S>
constexpr void attention_gradient(S& site) {
  const attention_settings& o = site.n.settings.attention;
  const bool is_map = site.n.kind == op::attention_map;
  if (!is_map && o.soft_cap == 0 && !o.has_bias && o.score < 0 &&
      (o.mask < 0 || is_range(site.d.owner->functions[o.mask])))
    return plain_attention_gradient(site);
  attention_rule<S>{site}.run();
}

} // namespace fovea::core::detail
