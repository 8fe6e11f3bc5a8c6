#pragma once

// How many queries a task of attention takes, where there are more than a few of them.

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>

#include <cstddef>

namespace fovea::core::simd::detail {

/// From so many keys on there are always spans: fewer stay in the second-level cache.
inline constexpr size_t span_many_keys = 1024;
/// From so many on where threads have tasks enough: spans take up to a tenth less time there.
inline constexpr size_t span_least_keys = 256;
inline constexpr size_t span_most_queries = 512, span_least_queries = 128;
inline constexpr size_t enough_span_tasks = 8; // of each thread

/// Do spans of so many queries leave each thread enough tasks?
inline bool enough_spans(const attention_args& a, size_t queries) {
  return a.threads == 1 || a.batch * a.heads * (a.queries / queries) >= enough_span_tasks * a.threads;
}

/// Queries in a span: the more, the rarer the copies, where that leaves each thread enough tasks.
inline size_t span_queries(const attention_args& a) {
  size_t most = span_most_queries;
  while (most > span_least_queries && !enough_spans(a, most)) most /= 2;
  return most;
}

/// Many queries over many keys.
inline bool in_spans(const attention_args& a) {
  return a.queries >= span_least_queries &&
         (a.keys >= span_many_keys || (a.keys >= span_least_keys && enough_spans(a, span_least_queries)));
}

inline constexpr size_t enough_block_tasks = 6; // of each of many threads

/// Queries in a task, where a block has so many of two vectors: of one vector where many threads have few tasks.
inline size_t task_queries(const attention_args& a, size_t block) {
  if (in_spans(a)) return span_queries(a);
  const bool few = a.batch * a.heads * ((a.queries + block - 1) / block) < enough_block_tasks * a.threads;
  return a.threads > 2 && few ? block / 2 : block;
}

/// From so many queries on rounding keys and values to 16 bits costs less than their products save: by AVX2 on a Zen 3
/// 64 queries took 1.03 of float32's time, and 128 took 0.81 to 0.98.
inline constexpr size_t least_rounded_queries = 128;
/// Of a task: a multiple of each block, so that blocks hold the same queries in all tasks.
inline constexpr size_t least_rounded_task = 32;

inline bool rounds(size_t queries) { return queries >= least_rounded_queries; }

/// Queries in a task that rounds keys and values: the more share what is rounded once, where that leaves each thread
/// enough tasks.
inline size_t rounded_task_queries(const attention_args& a) {
  size_t most = span_most_queries;
  while (most > least_rounded_task && a.threads > 1 &&
         a.batch * a.heads * ceil_div(a.queries, most) < enough_span_tasks * a.threads)
    most /= 2;
  return most;
}

/// The first query of a task, where `blocks` tasks of so many queries make a head. The last ones come first: under a causal
/// mask they see most, and what threads take last should be little.
inline size_t first_query(size_t task, size_t blocks, size_t queries) {
  return (blocks - 1 - task % blocks) * queries;
}

} // namespace fovea::core::simd::detail
