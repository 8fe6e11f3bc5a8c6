#include <algorithm>
#include <cmath>
#include <limits>

#include <fovea/backends/simd/attention_choice.hpp>
#include <fovea/backends/simd/attention_operands.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

namespace {

/// Tasks that leave keys and values rounded: each is read once, and not by every query.
struct rounding_tasks {
  const attention_args& a;
};

task_costs costs_of(const rounding_tasks& told) {
  return {.all = 1 / static_cast<double>(std::max<size_t>(told.a.queries, 1))};
}

/// What runs an attention: code of the model's own, where its scores or mask are lambdas, or a kernel.
struct attention_code {
  const context& c;
  const generated_step& own;
  bool is_rounded;

  attention_code(const context& of, const attention_args& a)
      : c(of), own(*of.code), is_rounded(rounds_attention(of.kernels, own, a.queries)) {}

  size_t tasks(const attention_args& a) const {
    if (is_rounded) return c.kernels.rounded_attention->tasks(a);
    return own.attention == nullptr ? c.kernels.attention->tasks(a) : own.attention_tasks(a);
  }
  size_t task_queries(const attention_args& a) const {
    return is_rounded ? detail::rounded_task_queries(a) : detail::task_queries(a, 2 * c.kernels.set.vector);
  }
  void run(const attention_operands& o, size_t first, size_t last, float* scratch) const {
    if (is_rounded)
      c.kernels.rounded_attention->run(o.args, first, last, scratch);
    else if (own.attention == nullptr)
      c.kernels.attention->run(o.args, first, last, scratch);
    else
      own.attention(o.args, o.lambda, first, last, scratch);
  }
  /// Leaves what tasks find rounded.
  void round(const attention_args& a) const {
    if (const size_t tasks = is_rounded ? c.kernels.rounded_attention->round_tasks(a) : 0; tasks > 0)
      c.run(
          tasks,
          [&](size_t first, size_t last, size_t thread) {
            c.kernels.rounded_attention->round(a, first, last, c.scratch_of(thread));
          },
          {}, rounding_tasks(a));
  }
  /// Of these sizes and all smaller ones.
  scratch_floats scratch(const attention_args& a) const {
    scratch_floats most{own.attention == nullptr ? c.kernels.attention->scratch(a) : own.attention_scratch(a),
                        c.kernels.attention->shared(a)};
    if (is_rounded) {
      most.of_each = std::max(most.of_each, c.kernels.rounded_attention->scratch(a));
      most.shared = std::max(most.shared, c.kernels.rounded_attention->shared(a));
    }
    return most;
  }
};

/// What tasks of some queries cost: the keys that these see.
struct seen_by_tasks {
  const attention_args& a;
  size_t queries, blocks; // of a task; of a head

  seen_by_tasks(const attention_code& code, const attention_args& args, size_t tasks)
      : a(args), queries(code.task_queries(args)),
        blocks(tasks / std::max<size_t>(args.batch * args.heads, 1)) {}

  /// Whether tasks are such: others take a few queries over a part of the keys each.
  bool apply() const { return a.queries > 0 && (a.queries + queries - 1) / queries == blocks; }
  double of(size_t task) const {
    const size_t b = task / blocks / a.heads, first = detail::first_query(task, blocks, queries);
    double keys = 0;
    for (size_t i = first; i < std::min(first + queries, a.queries); ++i)
      keys += a.lower == nullptr ? static_cast<double>(a.keys)
                                 : std::max(0.0, static_cast<double>(a.upper[b * a.bounds_batch + i]) -
                                                     static_cast<double>(a.lower[b * a.bounds_batch + i]));
    return keys;
  }
};

task_costs costs_of(const seen_by_tasks& seen) {
  if (!seen.apply()) return {};
  return {1, &seen,
          [](const void* of, size_t task) { return static_cast<const seen_by_tasks*>(of)->of(task); }};
}

void run_rows(context& c, const step& s, attention_operands& o) {
  if (o.mask != nullptr) o.find_bounds(c.slots[s.temporary[0]]);
  o.args.shared = c.shared_scratch();
  if (c.code->attention != nullptr) o.find_uniform(c.slots[s.temporary[1]]);
  const attention_code code(c, o.args);
  code.round(o.args);
  const size_t tasks = code.tasks(o.args);
  c.run(
      tasks,
      [&](size_t first, size_t last, size_t thread) { code.run(o, first, last, c.scratch_of(thread)); }, {},
      seen_by_tasks(code, o.args, tasks));
  c.kernels.attention->join(o.args);
}

} // namespace

void run_attention(context& c, const step& s) {
  attention_operands all(c, s.node);
  if (!all.by_row) {
    run_rows(c, s, all);
    return;
  }
  for (size_t row = 0; row < all.args.batch; ++row) {
    attention_operands one = all.of_row(c, row);
    if (c.is_idle(c.row_of(row, all.args.batch)))
      std::fill_n(one.args.out, one.args.out_batch, 0.0f);
    else
      run_rows(c, s, one);
  }
}

scratch_floats attention_scratch(context& c, const step& s) {
  const attention_operands all(c, s.node);
  attention_args a = all.args;
  if (all.of_stream) a.key_format = a.value_format = format_named<q8_0>;    // or any: states are given later
  if (all.window > 0) a.keys = static_cast<size_t>(all.window) + a.queries; // not full yet
  return attention_code(c, a).scratch(a);
}

namespace {

/// The queries that attention's gradient takes at once.
constexpr size_t queries_at_once = 32;

size_t whole_lines(size_t floats) { return (floats + 15) / 16 * 16; }

/// left [rows, depth] times packed columns, by one thread.
void multiply(const kernel_table& kernels, const float* left, size_t rows, size_t depth, size_t stride,
              const product_part& part) {
  const product_args args{
      .a = left, .rows = rows, .depth = depth, .a_stride = stride, .parts = &part, .part_count = 1};
  kernels.product->run(args, 0, kernels.product->tasks(args));
}
void pack(const kernel_table& kernels, const pack_args& args) {
  kernels.pack->run(args, 0, kernels.pack->tasks(args));
}
/// The keys of one batch row and key head as columns: what queries are multiplied by.
pack_args keys_as_columns(const attention_args& a, size_t b, size_t head, float* panels) {
  return {.b = a.k + b * a.k_batch + head * a.key_width,
          .columns = a.keys,
          .depth = a.key_width,
          .column_stride = a.k_row,
          .depth_stride = 1,
          .panels = panels};
}

/// From products of a query and its keys to their scores; what the mask hides becomes -infinity.
void score_row(const attention_operands& o, size_t b, size_t h, size_t i, float* row) {
  const attention_args& a = o.args;
  const float* bias =
      a.bias == nullptr ? nullptr : a.bias + b * a.bias_batch + h * a.bias_head + i * a.bias_query;
  for (size_t j = 0; j < a.keys; ++j) {
    row[j] = row[j] * a.scale + (bias == nullptr ? 0.0f : bias[j]);
    if (a.soft_cap > 0) row[j] = a.soft_cap * std::tanh(row[j] / a.soft_cap);
  }
  for (const bool of_mask : {false, true}) {
    if ((of_mask ? o.mask : o.score) == nullptr) continue;
    const recorded_lambda lambda = o.recorded(of_mask);
    scalar_arguments given{.batch = static_cast<std::int64_t>(b),
                           .head = static_cast<std::int64_t>(h),
                           .query = static_cast<std::int64_t>(i) + o.lambda.query_offset};
    for (size_t j = 0; j < a.keys; ++j) {
      given.key = static_cast<std::int64_t>(j);
      given.score = row[j];
      const double value = lambda.value(given);
      if (!of_mask)
        row[j] = static_cast<float>(value);
      else if (value == 0)
        row[j] = -std::numeric_limits<float>::infinity();
    }
  }
}

} // namespace

void run_attention_map(context& c, const step& s) {
  const attention_operands o(c, s.node);
  const attention_args& a = o.args;
  c.run(a.batch * a.heads, [&](size_t first, size_t last, size_t thread) {
    for (size_t task = first; task < last; ++task) {
      const size_t h = task % a.heads, b = task / a.heads;
      float* rows = a.out + task * a.queries * a.keys;
      pack(c.kernels, keys_as_columns(a, b, h / (a.heads / a.kv_heads), c.scratch_of(thread)));
      multiply(c.kernels, a.q + b * a.q_batch + h * a.key_width, a.queries, a.key_width, a.q_row,
               {.panels = c.scratch_of(thread), .columns = a.keys, .out = rows, .out_stride = a.keys});
      for (size_t i = 0; i < a.queries; ++i) score_row(o, b, h, i, rows + i * a.keys);
      const softmax_args all{.x = rows, .out = rows, .outer = a.queries, .count = a.keys, .inner = 1};
      c.kernels.softmax->run(all, 0, c.kernels.softmax->tasks(all));
    }
  });
}

scratch_floats attention_map_scratch(context& c, const step& s) {
  const attention_operands o(c, s.node);
  return {panel_floats(c.kernels.set.panel, o.args.keys, o.args.key_width)};
}

namespace {

/// Where a thread's pieces lie in its scratch memory.
struct gradient_scratch {
  float *keys, *values, *keys_by_depth; // packed
  float *scores, *score_gradients, *turned;
  size_t row, total; // floats of a row of scores; of all

  gradient_scratch(const context& c, const attention_args& a, float* begin) : row(whole_lines(a.keys)) {
    float* next = begin;
    const auto take = [&](size_t floats) {
      float* at = next;
      next += whole_lines(floats);
      return at;
    };
    const size_t panel = c.kernels.set.panel;
    keys = take(panel_floats(panel, a.keys, a.key_width));
    values = take(panel_floats(panel, a.keys, a.value_width));
    keys_by_depth = take(panel_floats(panel, a.key_width, a.keys));
    scores = take(queries_at_once * row);
    score_gradients = take(queries_at_once * row);
    turned = take(c.kernels.turned_product->scratch({}));
    total = static_cast<size_t>(next - begin);
  }
};

/// What attention's gradient reads and writes.
struct gradient_call {
  const kernel_table& kernels;
  const attention_args& a;
  const float* d; // of the result
  float *of_queries, *of_keys, *of_values;
};

/// The keys that a block of queries sees, from the first of a panel on, and the bounds of each query.
struct seen_keys {
  size_t begin, end;
  const std::int32_t *lower = nullptr, *upper = nullptr;

  size_t count() const { return end - begin; }
};

/// The gradient of one batch row and key head, by one thread.
struct head_gradient : gradient_call {
  const gradient_scratch& at;
  size_t b, head, panel;
  const float *k, *v;
  float *dk, *dv;

  head_gradient(const gradient_call& all, const gradient_scratch& scratch, size_t task)
      : gradient_call(all), at(scratch), b(task / a.kv_heads), head(task % a.kv_heads),
        panel(kernels.set.panel), k(a.k + b * a.k_batch + head * a.key_width),
        v(a.v + b * a.v_batch + head * a.value_width), dk(of_keys + (k - a.k)), dv(of_values + (v - a.v)) {}

  void run() const {
    clear();
    pack_keys_and_values();
    const size_t each = a.heads / a.kv_heads;
    for (size_t h = head * each; h < (head + 1) * each; ++h)
      for (size_t i = 0; i < a.queries; i += queries_at_once)
        run_block(h, i, std::min(queries_at_once, a.queries - i));
  }

private:
  /// The gradients of keys and values, which blocks add to.
  void clear() const {
    for (size_t j = 0; j < a.keys; ++j) {
      std::fill_n(dk + j * a.k_row, a.key_width, 0.0f);
      std::fill_n(dv + j * a.v_row, a.value_width, 0.0f);
    }
  }
  void pack_keys_and_values() const {
    pack(kernels, keys_as_columns(a, b, head, at.keys));
    pack(kernels, {.b = v,
                   .columns = a.keys,
                   .depth = a.value_width,
                   .column_stride = a.v_row,
                   .depth_stride = 1,
                   .panels = at.values});
    pack(kernels, {.b = k,
                   .columns = a.key_width,
                   .depth = a.keys,
                   .column_stride = 1,
                   .depth_stride = a.k_row,
                   .panels = at.keys_by_depth});
  }
  void run_block(size_t h, size_t i, size_t rows) const {
    const float *q = a.q + b * a.q_batch + i * a.q_row + h * a.key_width,
                *of_out = d + b * a.out_batch + i * a.out_row + h * a.value_width;
    float* dq = of_queries + (q - a.q);
    const seen_keys keys = seen_by(i, rows);
    if (keys.end <= keys.begin) {
      for (size_t r = 0; r < rows; ++r) std::fill_n(dq + r * a.q_row, a.key_width, 0.0f);
      return;
    }
    find_score_gradients(q, of_out, rows, keys);
    for (size_t column = 0; column < a.key_width; column += panel)
      multiply(kernels, at.score_gradients, rows, keys.count(), at.row,
               {.panels = at.keys_by_depth + column * a.keys + keys.begin * panel,
                .columns = std::min(panel, a.key_width - column),
                .out = dq + column,
                .out_stride = a.q_row});
    add_turned(at.scores, rows, keys, of_out, a.out_row, a.value_width, dv, a.v_row);
    add_turned(at.score_gradients, rows, keys, q, a.q_row, a.key_width, dk, a.k_row);
  }
  seen_keys seen_by(size_t i, size_t rows) const {
    if (a.lower == nullptr) return {0, a.keys};
    const std::int32_t *lower = a.lower + b * a.bounds_batch + i, *upper = a.upper + b * a.bounds_batch + i;
    const std::int32_t low = *std::min_element(lower, lower + rows),
                       high = *std::max_element(upper, upper + rows);
    return {static_cast<size_t>(std::max(low, 0)) / panel * panel,
            std::min(a.keys, static_cast<size_t>(std::max(high, 0))), lower, upper};
  }
  /// The weights of the keys in the place of their scores, and the gradients of these.
  void find_score_gradients(const float* q, const float* of_out, size_t rows, const seen_keys& keys) const {
    multiply(kernels, q, rows, a.key_width, a.q_row,
             {.panels = at.keys + keys.begin * a.key_width,
              .columns = keys.count(),
              .out = at.scores,
              .out_stride = at.row});
    multiply(kernels, of_out, rows, a.value_width, a.out_row,
             {.panels = at.values + keys.begin * a.value_width,
              .columns = keys.count(),
              .out = at.score_gradients,
              .out_stride = at.row});
    kernels.attention_gradient->run({.scores = at.scores,
                                     .gradients = at.score_gradients,
                                     .rows = rows,
                                     .keys = keys.count(),
                                     .stride = at.row,
                                     .scale = a.scale,
                                     .lower = keys.lower,
                                     .upper = keys.upper,
                                     .first_key = keys.begin});
  }
  /// left^T right, added to the rows of the keys that the block sees.
  void add_turned(const float* left, size_t rows, const seen_keys& keys, const float* right, size_t right_row,
                  size_t width, float* to, size_t to_row) const {
    const turned_product_args added{.a = left,
                                    .b = right,
                                    .out = to + keys.begin * to_row,
                                    .rows = keys.count(),
                                    .columns = width,
                                    .depth = rows,
                                    .a_row = at.row,
                                    .b_row = right_row,
                                    .out_row = to_row,
                                    .add = true};
    kernels.turned_product->run(added, 0, kernels.turned_product->tasks(added), at.turned);
  }
};

} // namespace

/// By blocks of queries, so that memory does not grow with the square of the length: the scores of a block
/// and the keys it sees are computed again (Dao et al. 2022, algorithm 4).
void run_attention_gradient(context& c, const step& s) {
  attention_operands o(c, s.node);
  if (o.mask != nullptr) o.find_bounds(c.slots[s.temporary[0]]);
  const attention_args& a = o.args;
  float *of_queries = c.result(s.node), *of_keys = of_queries + a.batch * a.q_batch;
  const gradient_call all{c.kernels,  a,       c.value(c.graph.operand(s.node, 3)),
                          of_queries, of_keys, of_keys + a.batch * a.k_batch};
  c.run(a.batch * a.kv_heads, [&](size_t first, size_t last, size_t thread) {
    const gradient_scratch at(c, a, c.scratch_of(thread));
    for (size_t task = first; task < last; ++task) head_gradient(all, at, task).run();
  });
}

scratch_floats attention_gradient_scratch(context& c, const step& s) {
  return {gradient_scratch(c, attention_operands(c, s.node).args, nullptr).total};
}

} // namespace fovea::core::simd
