#pragma once

// Operands of an attention, and the formula in double.

#include <fovea/backends/simd/kernels/arguments.hpp>

#include "../../page_end.hpp"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <vector>

namespace attention_for_tests {

using fovea::core::simd::attention_args;

inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

enum class visibility { all, causal, window, lengths, intervals };
enum class bias_kind { none, each_key, each_head, full };

struct shape {
  std::size_t batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, key_width = 8, value_width = 8;
  visibility see = visibility::all;
  bias_kind bias = bias_kind::none;
  float soft_cap = 0, scale = 0.35f, spread = 1;
};

using guarded_floats = std::vector<float, fovea::core::test::page_end<float>>;

/// Operands whose rows are further apart than they are wide, with NaN between: what is read there shows.
struct operands {
  guarded_floats q, k, v, out, bias;
  std::vector<std::int32_t> lower, upper;
  attention_args args;

  explicit operands(const shape& s, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, s.spread);
    const auto filled = [&](std::size_t rows, std::size_t width) {
      std::vector<float> x(rows * (width + 3), not_a_number);
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < width; ++i) x[row * (width + 3) + i] = normal(random);
      return guarded_floats(x.begin(), x.end() - 3);
    };
    args.batch = s.batch, args.heads = s.heads, args.kv_heads = s.kv_heads;
    args.queries = s.queries, args.keys = s.keys;
    args.key_width = s.key_width, args.value_width = s.value_width;
    args.q_row = s.heads * s.key_width + 3, args.q_batch = s.queries * args.q_row;
    args.k_row = s.kv_heads * s.key_width + 3, args.k_batch = s.keys * args.k_row;
    args.v_row = s.kv_heads * s.value_width + 3, args.v_batch = s.keys * args.v_row;
    args.out_row = s.heads * s.value_width + 3, args.out_batch = s.queries * args.out_row;
    q = filled(s.batch * s.queries, s.heads * s.key_width);
    k = filled(s.batch * s.keys, s.kv_heads * s.key_width);
    v = filled(s.batch * s.keys, s.kv_heads * s.value_width);
    out.assign(s.batch * args.out_batch, not_a_number);
    args.q = q.data(), args.k = k.data(), args.v = v.data(), args.out = out.data();
    args.scale = s.scale, args.soft_cap = s.soft_cap;
    if (s.bias != bias_kind::none) {
      args.bias_query = s.bias == bias_kind::each_key ? 0 : s.keys;
      args.bias_head = s.bias == bias_kind::each_key ? 0 : s.queries * s.keys;
      args.bias_batch = s.bias == bias_kind::full       ? s.heads * s.queries * s.keys
                        : s.bias == bias_kind::each_key ? s.keys
                                                        : 0;
      bias.resize(s.batch * s.heads * s.queries * s.keys);
      for (float& b : bias) b = normal(random);
      args.bias = bias.data();
    }
    if (s.see == visibility::all) return;
    const auto keys = static_cast<std::int32_t>(s.keys), ahead = keys - static_cast<std::int32_t>(s.queries);
    for (std::size_t b = 0; b < s.batch; ++b)
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(s.queries); ++i) {
        const std::int32_t position = ahead + i;
        const std::int32_t cut = std::uniform_int_distribution<std::int32_t>(0, keys)(random);
        switch (s.see) {
          case visibility::all:
            break;
          case visibility::causal:
            add_bounds(0, position + 1);
            break;
          case visibility::window:
            add_bounds(std::max(0, position - 4), position + 1);
            break;
          case visibility::lengths:
            add_bounds(0, keys - static_cast<std::int32_t>(b) * keys / 2);
            break;
          case visibility::intervals:
            add_bounds(cut, cut + std::uniform_int_distribution<std::int32_t>(0, keys - cut)(random));
            break;
        }
      }
    args.bounds_batch = s.queries;
    args.lower = lower.data(), args.upper = upper.data();
  }

  void add_bounds(std::int32_t from, std::int32_t until) {
    lower.push_back(from);
    upper.push_back(std::max(from, until));
  }
};

/// NaN at the end of a page, 64-byte aligned.
inline guarded_floats scratch_of(std::size_t floats) {
  return guarded_floats((floats + 15) / 16 * 16, not_a_number);
}

inline const auto as_it_is = [](double score, std::size_t, std::size_t, std::size_t, std::size_t) {
  return score;
};

/// The formula; `modify` as attention.hpp has it, on one score.
template <class Modify>
std::vector<double> expected(const attention_args& a, const Modify& modify) {
  std::vector<double> out(a.batch * a.out_batch, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> weights(a.keys);
  for (std::size_t b = 0; b < a.batch; ++b)
    for (std::size_t h = 0; h < a.heads; ++h)
      for (std::size_t i = 0; i < a.queries; ++i) {
        const std::size_t kv_head = h / (a.heads / a.kv_heads);
        double largest = -std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < a.keys; ++j) {
          double score = 0;
          for (std::size_t c = 0; c < a.key_width; ++c)
            score += static_cast<double>(a.q[b * a.q_batch + i * a.q_row + h * a.key_width + c]) *
                     static_cast<double>(a.k[b * a.k_batch + j * a.k_row + kv_head * a.key_width + c]);
          score *= static_cast<double>(a.scale);
          if (a.bias != nullptr)
            score += static_cast<double>(a.bias[b * a.bias_batch + h * a.bias_head + i * a.bias_query + j]);
          const double cap = static_cast<double>(a.soft_cap);
          if (cap != 0) score = cap * std::tanh(score / cap);
          score = modify(score, b, h, i, j);
          const auto key = static_cast<std::int32_t>(j);
          if (a.lower != nullptr &&
              (key < a.lower[b * a.bounds_batch + i] || key >= a.upper[b * a.bounds_batch + i]))
            score = -std::numeric_limits<double>::infinity();
          weights[j] = score;
          largest = std::max(largest, score);
        }
        double sum = 0;
        for (double& w : weights) sum += w = std::isinf(largest) ? 0 : std::exp(w - largest);
        for (std::size_t c = 0; c < a.value_width; ++c) {
          double total = 0;
          for (std::size_t j = 0; j < a.keys; ++j)
            total += weights[j] *
                     static_cast<double>(a.v[b * a.v_batch + j * a.v_row + kv_head * a.value_width + c]);
          out[b * a.out_batch + i * a.out_row + h * a.value_width + c] = sum == 0 ? 0 : total / sum;
        }
      }
  return out;
}

/// Equal within `tolerance`, and untouched between the rows.
inline void check_near(const guarded_floats& got, const std::vector<double>& want, double tolerance = 1e-5) {
  double worst = 0;
  bool same_gaps = true;
  for (std::size_t i = 0; i < got.size(); ++i) {
    same_gaps = same_gaps && std::isnan(got[i]) == std::isnan(want[i]);
    if (!std::isnan(want[i])) worst = std::max(worst, std::abs(static_cast<double>(got[i]) - want[i]));
  }
  CHECK(same_gaps);
  CHECK(worst <= tolerance);
}

/// check(shape) for what queries see in each way, as many keys as queries and more.
template <class Check>
void for_visibilities(std::initializer_list<std::size_t> numbers_of_queries, const Check& check) {
  for (const auto see : {visibility::causal, visibility::window, visibility::lengths, visibility::intervals})
    for (const std::size_t queries : numbers_of_queries)
      for (const std::size_t more : {0u, 1u, 130u})
        check(shape{.batch = 3,
                    .heads = 2,
                    .kv_heads = 1,
                    .queries = queries,
                    .keys = queries + more,
                    .key_width = 16,
                    .value_width = 16,
                    .see = see});
}

} // namespace attention_for_tests
