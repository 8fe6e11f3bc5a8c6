#include <algorithm>
#include <cmath>
#include <limits>

#include <fovea/backends/simd/attention_operands.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

namespace {

void run_rows(context& c, const step& s, attention_operands& o) {
  if (o.mask != nullptr) o.find_bounds(c.slots[s.temporary[0]]);
  o.args.shared = c.shared_scratch();
  if (const generated_step& code = *c.code; code.attention == nullptr) {
    c.run(*c.kernels.attention, o.args);
  } else {
    o.find_uniform(c.slots[s.temporary[1]]);
    c.run(code.attention_tasks(o.args), [&](size_t first, size_t last, size_t thread) {
      code.attention(o.args, o.lambda, first, last, c.scratch_of(thread));
    });
  }
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
  const attention_args a = attention_operands(c, s.node).args;
  return {(c.code->attention == nullptr ? c.kernels.attention->scratch : c.code->attention_scratch)(a),
          c.kernels.attention->shared(a)};
}

namespace {

/// The queries that attention's gradient takes at once.
constexpr size_t queries_at_once = 32;

size_t rounded(size_t floats) { return (floats + 15) / 16 * 16; }

/// A kernel's whole work by one thread.
void multiply(const kernel_table& kernels, const product_args& args) {
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
      const product_part part{
          .panels = c.scratch_of(thread), .columns = a.keys, .out = rows, .out_stride = a.keys};
      multiply(c.kernels, {.a = a.q + b * a.q_batch + h * a.key_width,
                           .rows = a.queries,
                           .depth = a.key_width,
                           .a_stride = a.q_row,
                           .parts = &part,
                           .part_count = 1});
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

  gradient_scratch(const context& c, const attention_args& a, float* begin) : row(rounded(a.keys)) {
    float* next = begin;
    const auto take = [&](size_t floats) {
      float* at = next;
      next += rounded(floats);
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

} // namespace

/// By blocks of queries, so that memory does not grow with the square of the length: the scores of a block
/// and the keys it sees are computed again (Dao et al. 2022, algorithm 4).
void run_attention_gradient(context& c, const step& s) {
  attention_operands o(c, s.node);
  if (o.mask != nullptr) o.find_bounds(c.slots[s.temporary[0]]);
  const attention_args& a = o.args;
  const float* d = c.value(c.graph.operand(s.node, 3));
  float *of_queries = c.result(s.node), *of_keys = of_queries + a.batch * a.q_batch,
        *of_values = of_keys + a.batch * a.k_batch;
  const size_t each = a.heads / a.kv_heads, panel = c.kernels.set.panel;
  c.run(a.batch * a.kv_heads, [&](size_t first, size_t last, size_t thread) {
    const gradient_scratch at(c, a, c.scratch_of(thread));
    for (size_t task = first; task < last; ++task) {
      const size_t b = task / a.kv_heads, head = task % a.kv_heads;
      const float *k = a.k + b * a.k_batch + head * a.key_width,
                  *v = a.v + b * a.v_batch + head * a.value_width;
      float *dk = of_keys + b * a.k_batch + head * a.key_width,
            *dv = of_values + b * a.v_batch + head * a.value_width;
      for (size_t j = 0; j < a.keys; ++j) {
        std::fill_n(dk + j * a.k_row, a.key_width, 0.0f);
        std::fill_n(dv + j * a.v_row, a.value_width, 0.0f);
      }
      pack(c.kernels, keys_as_columns(a, b, head, at.keys));
      pack(c.kernels, {.b = v,
                       .columns = a.keys,
                       .depth = a.value_width,
                       .column_stride = a.v_row,
                       .depth_stride = 1,
                       .panels = at.values});
      pack(c.kernels, {.b = k,
                       .columns = a.key_width,
                       .depth = a.keys,
                       .column_stride = 1,
                       .depth_stride = a.k_row,
                       .panels = at.keys_by_depth});
      for (size_t h = head * each; h < (head + 1) * each; ++h)
        for (size_t i = 0; i < a.queries; i += queries_at_once) {
          const size_t rows = std::min(queries_at_once, a.queries - i);
          const float *q = a.q + b * a.q_batch + i * a.q_row + h * a.key_width,
                      *of_out = d + b * a.out_batch + i * a.out_row + h * a.value_width;
          float* dq = of_queries + b * a.q_batch + i * a.q_row + h * a.key_width;
          // The keys that the block sees, from the first of a panel on.
          const std::int32_t *lower = nullptr, *upper = nullptr;
          size_t begin = 0, end = a.keys;
          if (a.lower != nullptr) {
            lower = a.lower + b * a.bounds_batch + i, upper = a.upper + b * a.bounds_batch + i;
            const std::int32_t low = *std::min_element(lower, lower + rows),
                               high = *std::max_element(upper, upper + rows);
            begin = static_cast<size_t>(std::max(low, 0)) / panel * panel;
            end = std::min(a.keys, static_cast<size_t>(std::max(high, 0)));
          }
          if (end <= begin) {
            for (size_t r = 0; r < rows; ++r) std::fill_n(dq + r * a.q_row, a.key_width, 0.0f);
            continue;
          }
          const size_t seen = end - begin;
          const auto product = [&](const float* left, size_t left_rows, size_t depth, size_t stride,
                                   const product_part& part) {
            multiply(c.kernels, {.a = left,
                                 .rows = left_rows,
                                 .depth = depth,
                                 .a_stride = stride,
                                 .parts = &part,
                                 .part_count = 1});
          };
          product(q, rows, a.key_width, a.q_row,
                  {.panels = at.keys + begin * a.key_width,
                   .columns = seen,
                   .out = at.scores,
                   .out_stride = at.row});
          product(of_out, rows, a.value_width, a.out_row,
                  {.panels = at.values + begin * a.value_width,
                   .columns = seen,
                   .out = at.score_gradients,
                   .out_stride = at.row});
          c.kernels.attention_gradient->run({.scores = at.scores,
                                             .gradients = at.score_gradients,
                                             .rows = rows,
                                             .keys = seen,
                                             .stride = at.row,
                                             .scale = a.scale,
                                             .lower = lower,
                                             .upper = upper,
                                             .first_key = begin});
          for (size_t column = 0; column < a.key_width; column += panel)
            product(at.score_gradients, rows, seen, at.row,
                    {.panels = at.keys_by_depth + column * a.keys + begin * panel,
                     .columns = std::min(panel, a.key_width - column),
                     .out = dq + column,
                     .out_stride = a.q_row});
          // left^T right added to the rows of keys that the block sees
          const auto add_turned = [&](const float* left, const float* right, size_t right_row, size_t width,
                                      float* to, size_t to_row) {
            const turned_product_args added{.a = left,
                                            .b = right,
                                            .out = to + begin * to_row,
                                            .rows = seen,
                                            .columns = width,
                                            .depth = rows,
                                            .a_row = at.row,
                                            .b_row = right_row,
                                            .out_row = to_row,
                                            .add = true};
            c.kernels.turned_product->run(added, 0, c.kernels.turned_product->tasks(added), at.turned);
          };
          add_turned(at.scores, of_out, a.out_row, a.value_width, dv, a.v_row);
          add_turned(at.score_gradients, q, a.q_row, a.key_width, dk, a.k_row);
        }
    }
  });
}

scratch_floats attention_gradient_scratch(context& c, const step& s) {
  return {gradient_scratch(c, attention_operands(c, s.node).args, nullptr).total};
}

} // namespace fovea::core::simd
