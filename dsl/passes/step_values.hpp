#pragma once

#include <cstdint>

#include <fovea/dsl/passes/stream_writer.hpp>
#include <fovea/dsl/stream_rate.hpp>

namespace fovea::core {

/// The sizes of a step: how many positions went before it.
inline constexpr dim positions_before{"(before)"};
/// How many of the last `most` positions there were, of an axis of that rate.
constexpr dim last_positions(std::int32_t most, std::int32_t rate) {
  char name[dim::max_name + 1] = "(";
  int at = 1;
  const auto write = [&](std::int32_t number) {
    char digits[dim::max_name + 1] = {};
    int count = 0;
    for (; number > 0; number /= 10) digits[count++] = static_cast<char>('0' + number % 10);
    while (count > 0) name[at++] = digits[--count];
  };
  write(most);
  name[at++] = rate > 0 ? ':' : '*';
  write(rate > 0 ? rate : -rate);
  name[at] = ')';
  return dim::symbol(name);
}
/// How many positions of an axis of that rate went before.
constexpr dim positions_before_at(std::int32_t rate) {
  return rate > 0 ? positions_before / rate : positions_before * dim(-rate);
}

namespace detail {

/// What a step makes beside the nodes of its model: positions before it, values that wait, and what lies
/// outside of the sequence.
struct step_values : stream_writer {
  using stream_writer::stream_writer;

  std::int32_t position = -1, beginning = -1, states = 0;
  sentence not_rewound = {}; // why its newest positions cannot be forgotten; empty where they can

  constexpr std::int32_t rate_of_moving(int id) const {
    return g.nodes[id].kind == op::time_index ? rates[g.regions[g.nodes[id].region].time] : rate_of(id);
  }
  constexpr int number(int id, double value, element type) {
    return beside(id, op::constant, shape{}, {}, type, {.number = value});
  }
  /// How many positions of an axis of that rate went before.
  constexpr int position_at(int id, std::int32_t rate) {
    if (rate == 1) return position;
    const int each = number(id, rate > 0 ? rate : -rate, element::i32);
    return beside(id, rate > 0 ? op::divide : op::multiply, to.nodes[position].shape, {position, each},
                  element::i32);
  }
  constexpr shape with_axis(shape s, int axis, const dim& size) {
    s[axis] = to.intern(size);
    return s;
  }

  /// Node `id` goes on from what its newest positions have left, and keeps nothing of before them.
  constexpr void keeps_newest(int id) {
    const node& n = g.nodes[id];
    if (not_rewound.empty())
      to.say(
          400, not_rewound, n.at, n.scope, word_of(n), ": a stream cannot be rewound along ", g.dim_of(time),
          ": it keeps only what the next position needs; save the state before a step, and load it instead");
  }
  /// A value of node `from` behind those that it had before.
  constexpr int cached(int id, const shape& s, int from, int value, cache_settings cache) {
    cache.index = states++;
    if (cache.kept > 0) keeps_newest(id);
    return beside(id, op::cache, s, {value}, g.nodes[from].type, {.cache = cache});
  }
  /// The value of node `from` so many positions later; beside node `id`.
  constexpr int delayed(int id, int from, std::int32_t by) {
    if (by == 0 || (!lifted[from] && !keeps_rows(from))) return mapped[from];
    const shape each = shape_in_step(g.nodes[from].shape), s = lifted[from] ? rows_of(each) : each;
    const int axis = time_axis(from) + lifted[from];
    const int all = cached(id, with_axis(s, axis, to.dim_of(s[axis]) + by), from, mapped[from],
                           {.axis = axis, .kept = by, .rate = rate_of(from), .first = shifts[from].number});
    return first_of(id, all, s, axis, g.nodes[from].type);
  }
  /// Whether positions of a dim that have come to this lead lie outside of the sequence; of the shape of
  /// these positions, with 1 for the axes behind them.
  constexpr int outside(int id, const shape& s, int axis, std::uint16_t along, std::int32_t lead) {
    shape mask;
    if (batch != 0) mask.push(batch);
    for (int i = 1; batch != 0 && i < axis; ++i) mask.push(to.intern(dim(1)));
    mask.push(s[axis]);
    for (int i = axis + 1; i < s.rank; ++i) mask.push(to.intern(dim(1)));
    const int made =
        beside(id, op::outside, mask, {}, element::boolean,
               {.outside = {.axis = batch != 0 ? axis : 0, .rate = rates[along], .extra = extras[along]}});
    to.nodes[made].lag = lag_of(g.nodes[id].region, lead);
    return made;
  }
  /// A value of node `from`, which has come to this lead, with a number in place of what lies outside of the
  /// sequence; beside node `id`.
  constexpr int inside(int id, int from, int value, std::int32_t lead, double filling) {
    const shape s = shape_in_step(g.nodes[from].shape);
    if (batch != 0 && (!has_rows(s) || lifted[from])) {
      refuse_rows(221, id, "the first axis of what comes late is not the batch");
      return value;
    }
    const element type = g.nodes[from].type;
    const int mask = outside(id, s, time_axis(from), positions[from], lead);
    return beside(id, op::where, s, {mask, number(id, filling, type), value}, type);
  }
  /// So many places as shape s has along an axis, from the first that a cache has; in order, as nothing else
  /// reads what has room between.
  constexpr int first_of(int id, int all, const shape& s, int axis, element type) {
    return beside(id, op::slice, s, {all}, type, {.slice = {axis, to.intern(dim(0))}});
  }
  /// How late outputs come, in positions of node `id`.
  constexpr std::int32_t late_at(int id) const {
    return static_cast<std::int32_t>(positions_at(rate_of(id), latency));
  }
};

} // namespace detail

} // namespace fovea::core
