#pragma once

#include <algorithm>
#include <bit>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/recorded_lambda.hpp>
#include <fovea/dsl/plan/mask_bounds.hpp>

namespace fovea::core::simd {

/// One attention's operands at the sizes of a call.
struct attention_operands {
  attention_args args;
  lambda_args lambda;
  const scalar_function *score = nullptr, *mask = nullptr;
  std::int64_t window = 0;                  // the positions that a stream keeps of its keys, 0: all
  std::int64_t rate = 1;                    // at which the stream moves on for them
  std::int64_t behind = 0, keys_behind = 0; // what the stream is given lie its queries and its keys
  size_t first_batch = 0;                   // of the batch rows that these are
  bool bias_kept = false;                   // the bias is of the keys that a stream keeps
  bool by_row = false;                      // each batch row has as many keys as it has taken positions
  bool of_stream = false;                   // its keys are those that a stream keeps
  static constexpr int most_tables = 2 * scalar_function::max_captures;
  bool table_kept[most_tables] = {}; // a table is of the keys that a stream keeps

  attention_operands(const context& c, int id) {
    const node& n = c.graph.at(id);
    const attention_settings& o = n.settings.attention;
    find_stream(c, id);
    find_sizes(c, id);
    args.q = c.value(c.graph.operand(id, 0));
    args.k = c.value(c.graph.operand(id, 1));
    args.v = c.value(c.graph.operand(id, 2));
    args.out = c.result(id);
    args.scale = static_cast<float>(o.scale);
    args.soft_cap = static_cast<float>(o.soft_cap);
    args.threads = c.pool.size();
    int next = n.kind == op::attention_gradient ? 4 : 3; // of its operands
    if (o.has_bias) take_bias(c, c.graph.operand(id, next++));
    int table = 0;
    const auto with_tables = [&](int function) -> const scalar_function* {
      if (function < 0) return nullptr;
      const scalar_function& f = c.graph.function(function);
      for (int i = 0; i < f.capture_count; ++i)
        take_table(c, table++, c.graph.operand(id, next++), c.shape_of(c.graph.operand(id, 0))[-2]);
      return &f;
    };
    score = with_tables(o.score);
    mask = with_tables(o.mask);
    lambda.query_offset = static_cast<std::int32_t>(args.keys) - static_cast<std::int32_t>(args.queries);
    if (of_stream && !by_row) see(positions_at(rate, c.before), positions_at(rate, c.end));
  }

  /// Of the keys that a stream keeps after so many positions those of the sequence, which may have an end:
  /// its window is not full at first, and keys that come late begin before the first. One is left in any
  /// case.
  void see(std::int64_t before, std::int64_t end) {
    const std::int64_t kept = window > 0 ? std::min(window, before) : before, first_kept = before - kept,
                       all = kept + static_cast<std::int64_t>(args.queries);
    const std::int64_t first = std::clamp<std::int64_t>(keys_behind - first_kept, 0, all - 1),
                       last = std::clamp<std::int64_t>(end + keys_behind - first_kept, first + 1, all);
    skip(static_cast<size_t>(first + (window > 0 ? window - kept : 0)));
    args.keys = static_cast<size_t>(last - first);
    lambda.query_offset = static_cast<std::int32_t>(kept + keys_behind - behind - first);
  }
  void skip(size_t keys) {
    args.k += keys * args.k_row;
    args.v += keys * args.v_row;
    if (bias_kept) args.bias += keys;
    for (int table = 0; table < most_tables; ++table)
      if (table_kept[table]) lambda.tables[table] += keys;
  }

  /// The same of one batch row, where each has keys of its own number.
  attention_operands of_row(const context& c, size_t row) const {
    attention_operands one = *this;
    attention_args& a = one.args;
    const size_t of = c.row_of(row, args.batch);
    a.batch = 1;
    a.q += row * a.q_batch;
    a.k += row * a.k_batch;
    a.v += row * a.v_batch;
    a.out += row * a.out_batch;
    if (a.bias != nullptr) a.bias += row * a.bias_batch;
    one.first_batch = row;
    one.see(positions_at(rate, c.before_row(of)), positions_at(rate, c.end_row(of)));
    return one;
  }

  recorded_lambda recorded(bool of_mask) const {
    const int first = of_mask && score != nullptr ? score->capture_count : 0;
    return {of_mask ? *mask : *score, lambda.tables + first, lambda.table_sizes + first,
            lambda.of_queries + first, lambda.query_offset};
  }

  /// The keys that each query may see, into `bounds`: all lower ends, then all upper ends.
  void find_bounds(float* bounds) {
    auto* lower = reinterpret_cast<std::int32_t*>(bounds);
    std::int32_t* upper = lower + args.batch * args.queries;
    args.lower = lower;
    args.upper = upper;
    args.bounds_batch = args.queries;
    const recorded_lambda shown = recorded(true);
    const range_around range(*mask);
    for (size_t b = 0; b < args.batch; ++b)
      for (size_t i = 0; i < args.queries; ++i) {
        const scalar_arguments given{.batch = static_cast<std::int64_t>(first_batch + b),
                                     .query = static_cast<std::int64_t>(i) + lambda.query_offset};
        const key_range r = range(shown.values(given), static_cast<std::int64_t>(args.keys));
        *lower++ = static_cast<std::int32_t>(r.first);
        *upper++ = static_cast<std::int32_t>(r.last);
      }
  }

  /// What depends on the batch row and the head alone, for each of them.
  void find_uniform(float* uniform) {
    lambda.uniform = uniform;
    for (size_t b = 0; b < args.batch; ++b)
      for (size_t h = 0; h < args.heads; ++h)
        for (const bool of_mask : {false, true}) {
          float* values = uniform + ((b * args.heads + h) * 2 + of_mask) * scalar_function::max_nodes;
          if ((of_mask ? mask : score) == nullptr) continue;
          const auto found = recorded(of_mask).values(
              {.batch = static_cast<std::int64_t>(first_batch + b), .head = static_cast<std::int64_t>(h)});
          // Of what depends on more nothing is read. An integer keeps its bits: a float would round it.
          const scalar_node* nodes = (of_mask ? mask : score)->nodes;
          for (size_t id = 0; id < found.size(); ++id)
            values[id] = nodes[id].type == element::i32
                             ? std::bit_cast<float>(static_cast<std::int32_t>(
                                   static_cast<std::int64_t>(std::clamp(found[id], -0x1p62, 0x1p62))))
                             : static_cast<float>(found[id]);
        }
  }

private:
  static bool is_kept(const context& c, int id) { return c.graph.at(c.plan.base[id]).kind == op::cache; }
  /// Positions along an axis of keys from one batch row to the next: a stream's caches have room for more.
  static size_t length_of(const context& c, int id, int axis) {
    return is_kept(c, id) ? c.state_of(id).rows : c.size(c.shape_of(id)[axis]);
  }

  void find_stream(const context& c, int id) {
    const int keys = c.plan.base[c.graph.operand(id, 1)];
    of_stream = c.graph.at(keys).kind == op::cache;
    if (!of_stream) return;
    window = c.graph.at(keys).settings.cache.kept;
    rate = c.graph.at(keys).settings.cache.rate;
    behind = c.behind(id);
    keys_behind = c.behind(keys);
    by_row = c.row_places != nullptr;
  }
  void find_sizes(const context& c, int id) {
    const attention_settings& o = c.graph.at(id).settings.attention;
    const int keys = c.graph.operand(id, 1), values = c.graph.operand(id, 2);
    const shape &q = c.shape_of(c.graph.operand(id, 0)), &k = c.shape_of(keys), &v = c.shape_of(values);
    args.batch = q.rank == 3 ? c.size(q[0]) : 1;
    args.heads = static_cast<size_t>(o.heads);
    args.kv_heads = static_cast<size_t>(o.kv_heads);
    args.queries = c.size(q[-2]);
    args.keys = c.size(k[-2]);
    args.q_row = c.size(q[-1]);
    if (is_kept(c, keys)) args.key_format = c.state_of(keys).format;
    if (is_kept(c, values)) args.value_format = c.state_of(values).format;
    args.k_row = kept_floats(args.key_format, c.size(k[-1]));
    args.v_row = kept_floats(args.value_format, c.size(v[-1]));
    args.key_width = args.q_row / args.heads;
    args.value_width = c.size(v[-1]) / args.kv_heads;
    args.out_row = args.value_width * args.heads;
    args.q_batch = args.q_row * args.queries;
    args.k_batch = args.k_row * length_of(c, keys, -2);
    args.v_batch = args.v_row * length_of(c, values, -2);
    args.out_batch = args.out_row * args.queries;
  }
  void take_bias(const context& c, int bias) {
    const shape& b = c.shape_of(bias);
    args.bias = c.value(bias);
    bias_kept = is_kept(c, bias);
    // From the last axis: keys, queries, heads, batch. One that is missing or 1 does not move.
    size_t stride = 1, strides[4] = {};
    for (int axis = 1; axis <= b.rank; ++axis) {
      strides[axis - 1] = c.size(b[-axis]) == 1 ? 0 : stride;
      stride *= axis == 1 ? length_of(c, bias, -1) : c.size(b[-axis]);
    }
    args.bias_query = strides[1], args.bias_head = strides[2], args.bias_batch = strides[3];
  }
  /// A stream keeps what keys read; what only queries read comes with them.
  void take_table(const context& c, int table, int from, int queries) {
    const shape& s = c.shape_of(from);
    lambda.tables[table] = c.value(from);
    table_kept[table] = is_kept(c, from);
    for (int axis = 0; axis < s.rank && axis < 4; ++axis) {
      lambda.table_sizes[table][axis] = axis == s.rank - 1 ? length_of(c, from, -1) : c.size(s[axis]);
      lambda.of_queries[table][axis] = of_stream && !table_kept[table] && s[axis] == queries;
    }
  }
};

} // namespace fovea::core::simd
