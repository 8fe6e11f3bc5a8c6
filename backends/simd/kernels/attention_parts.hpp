#pragma once

// The keys of a few queries in parts that threads take apart (Dao et al. 2023, "Flash-Decoding"): each part
// leaves for each query what is summed, unscaled, with its largest score and its sum of weights, and they are
// joined in their order. Parts go by the shape, so that bits do not depend on threads.

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/attention_scores.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/math.hpp>

#include <algorithm>
#include <cstddef>

namespace fovea::core::simd::detail {

inline constexpr size_t most_few_queries = 4;

/// So few queries leave most lanes of a block empty.
inline bool few_queries(const attention_args& a) { return a.queries <= most_few_queries; }

inline constexpr size_t least_part_keys = 512, enough_key_tasks = 32;

inline size_t key_parts(const attention_args& a) {
  if (!few_queries(a)) return 1;
  const size_t batch = std::max<size_t>(a.batch, 1);
  return std::clamp<size_t>(a.keys / least_part_keys, 1, (enough_key_tasks + batch - 1) / batch);
}

/// Into how many groups a few queries' key heads fall, each a task of a part: one where that leaves two tasks a
/// thread. A head's result is the same in each.
inline size_t key_head_groups(const attention_args& a) {
  if (a.threads == 1) return 1;
  const size_t tasks = std::max<size_t>(a.batch * key_parts(a), 1);
  size_t groups = std::min((2 * a.threads + tasks - 1) / tasks, a.kv_heads);
  while (a.kv_heads % groups != 0) ++groups;
  return groups;
}

/// What a part leaves for one query of one head: its sums [value_width], and behind them, from a line's begin
/// on, the largest score, as a power of two, and the sum of the weights.
struct part_result {
  float *sums, *base, *weight;

  static size_t padded(const attention_args& a) { return (a.value_width + 15) / 16 * 16; }
  static size_t floats(const attention_args& a) { return padded(a) + 16; }

  part_result(const attention_args& a, size_t batch, size_t head, size_t query, size_t part)
      : sums(a.shared + (((batch * a.heads + head) * a.queries + query) * key_parts(a) + part) * floats(a)),
        base(sums + padded(a)), weight(base + 1) {}
};

/// As many as attention_shared says: batch * key_parts(a) is at most what this counts.
inline size_t key_parts_floats(const attention_args& a) {
  if (a.keys < 2 * least_part_keys) return 0;
  const size_t parts = std::min(enough_key_tasks + a.batch, a.batch * (a.keys / least_part_keys));
  return parts * a.heads * std::min(a.queries, most_few_queries) * part_result::floats(a);
}

template <class Arch>
inline void join_key_parts(const attention_args& a) {
  using v = vec<Arch>;
  const size_t parts = key_parts(a);
  for (size_t b = 0; b < a.batch; ++b)
    for (size_t h = 0; h < a.heads; ++h)
      for (size_t i = 0; i < a.queries; ++i) {
        const auto of = [&](size_t part) { return part_result(a, b, h, i, part); };
        float base = lowest_score;
        for (size_t p = 0; p < parts; ++p) base = std::max(base, *of(p).base);
        v shrunk[enough_key_tasks], weight(0.0f);
        for (size_t p = 0; p < parts; ++p) {
          shrunk[p] = math::exp2_of_nonpositive<Arch>(v(*of(p).base) - v(base));
          weight = Arch::fma(v(*of(p).weight), shrunk[p], weight);
        }
        const v share = share_of<Arch>(weight);
        float* to = a.out + b * a.out_batch + i * a.out_row + h * a.value_width;
        for_vectors<Arch>(a.value_width, [&](size_t j, auto lanes) {
          v sum(0.0f);
          for (size_t p = 0; p < parts; ++p) sum = Arch::fma(Arch::load(of(p).sums + j), shrunk[p], sum);
          lanes.store(to + j, sum * share);
        });
      }
}

} // namespace fovea::core::simd::detail
