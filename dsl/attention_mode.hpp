#pragma once

#include <fovea/dsl/reduce.hpp>
#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

/// How weights come of scores.
struct attention_mode {
  enum class kind : std::uint8_t { soft, hard, local_m, local_p };
  kind how = kind::soft;
  int half_window = 0;
  name_text name = {}; // of the network that predicts centres
  int width = 0;       // of its hidden layer
  expr centres = {}, lengths = {};

  constexpr operator kind() const { return how; }
};
/// A weighted mean over the keys; the default.
inline constexpr attention_mode soft{};
/// The value of the key with the highest score, the first of equals.
inline constexpr attention_mode hard{attention_mode::kind::hard};
/// Only keys at most `half_window` away from the query's centre (Luong et al. 2015, section 3.2, "local-m").
/// Query i looks around key i, or around its number in `centres` [queries] or [batch, queries].
constexpr attention_mode local_m(int half_window, expr centres = {}) {
  return {.how = attention_mode::kind::local_m, .half_window = half_window, .centres = centres};
}
/// The same around length * sigmoid(v . tanh(W q)), what a network of one hidden layer predicts of the query,
/// and the weights fall with the distance d from there by exp(-2 d^2 / half_window^2) ("local-p"). The length
/// is the number of keys, or each batch row's in `lengths` [batch]. Makes name.hidden.weight [width, query
/// width] and name.score.weight [1, width].
constexpr attention_mode local_p(const name_text& name, int width, int half_window, expr lengths = {}) {
  return {.how = attention_mode::kind::local_p,
          .half_window = half_window,
          .name = name,
          .width = width,
          .lengths = lengths};
}

namespace detail {

/// One for the key of the largest weight, the first of equals, zero for the others and where no key is seen.
constexpr expr largest_alone(expr weights, source_place at) {
  if (!weights.valid()) return weights;
  const expr best = argmax(weights, axis(-1, at), {.keep = true}, at),
             keys = range(weights, weights.size(-1), at);
  return to_float(apply(op::logical_and, {apply(op::equal, {best, at}, {keys, at}), at},
                        {apply(op::less, {0, at}, {weights, at}), at}),
                  at);
}

/// The sum of the values by weights [batch, heads, queries, keys]: [batch, queries, features].
constexpr expr weighted_values(expr weights, expr v, int heads, source_place at) {
  if (!weights.valid() || !v.valid()) return {weights.owner};
  graph& g = *weights.owner;
  const std::int64_t width = g.number(g.shape_of(v)[-1]);
  shape split = g.shape_of(v), joint = split;
  split[-1] = g.intern(heads), split.push(g.intern(width / heads));
  joint[-2] = g.shape_of(weights)[-2];
  const int rank = split.rank;
  int heads_first[shape::max_rank] = {0, 1, 2, 3};
  heads_first[rank - 3] = rank - 2, heads_first[rank - 2] = rank - 3;
  const expr mixed = matmul(weights, permute_axes(reshape_to(v, split, at), heads_first, at), at);
  return reshape_to(permute_axes(mixed, heads_first, at), joint, at);
}

/// What local attention does to scores [batch, 1, queries, keys] (batch may be missing): adds `bias`, so that
/// no far key takes part in the softmax, and multiplies the weights by `share`.
struct locality {
  expr bias, share;
};

/// q [batch, queries, features] says where each query looks; `keys` is their number.
constexpr locality around_centres(expr q, const dim& keys, const attention_mode& mode, const char* word,
                                  source_place at) {
  graph& g = *q.owner;
  const graph::named who{word, mode.name};
  const reported_at here(q, at);
  const int rank = q.rank();
  if (mode.half_window < 1) {
    g.fail(135, at, word, ": expected a half window of at least 1, found ", mode.half_window);
    return {{&g}, {&g}};
  }
  const expr places = to_float(range(q, keys));
  expr centre; // [batch, queries, 1]
  if (mode == attention_mode::kind::local_p) {
    if (mode.width < 1) g.fail(136, at, who, ": expected a hidden layer of at least 1, found ", mode.width);
    const bool by_lengths = mode.lengths.owner != nullptr;
    if (by_lengths && g.usable(mode.lengths, at, who) &&
        (mode.lengths.rank() != 1 || rank != 3 || !(mode.lengths.size(0) == q.size(0))))
      g.fail(137, at, who, ": expected lengths [batch] for the queries ", q, ", found ", mode.lengths);
    const scope inside(&g, mode.name, scope_name::no_index, at);
    centre =
        sigmoid(linear(tanh(linear(q, "hidden", mode.width, {.bias = false})), "score", 1, {.bias = false}));
    centre = centre * (by_lengths ? unsqueeze(unsqueeze(to_float(mode.lengths), 1), 2)
                                  : max_over(places, axis(0)) + 1);
  } else {
    const expr given = mode.centres.owner == nullptr ? range(q, q.size(rank - 2)) : mode.centres;
    if (!g.usable(given, at, word)) return {{&g}, {&g}};
    if (given.rank() < 1 || given.rank() >= rank || !(given.size(-1) == q.size(rank - 2)) ||
        (given.rank() == 2 && !(given.size(0) == q.size(0))))
      g.fail(138, at, word, ": expected centres [queries] or [batch, queries] for the queries ", q,
             ", found ", given);
    centre = unsqueeze(to_float(given), -1);
  }
  if (!g.error.empty()) return {{&g}, {&g}};
  const expr distance = places - centre, near = abs(distance) <= mode.half_window;
  expr share = to_float(near);
  if (mode == attention_mode::kind::local_p)
    share = share * exp(distance * distance * (-2.0 / (mode.half_window * mode.half_window)));
  const auto for_heads = [](expr x) { return unsqueeze(x, x.rank() - 2); };
  return {for_heads(where(near, 0.0, -1e30)), for_heads(share)};
}

constexpr bool is_local(const attention_mode& mode) {
  return mode == attention_mode::kind::local_m || mode == attention_mode::kind::local_p;
}

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::attention_mode, core::hard, core::local_m, core::local_p, core::soft;
} // namespace fovea
