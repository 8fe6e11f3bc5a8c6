#pragma once

// Scaled dot-product attention with an online softmax (see attention_args in arguments.hpp).

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/attention_block.hpp>
#include <fovea/backends/simd/kernels/attention_parts.hpp>
#include <fovea/backends/simd/kernels/attention_rows.hpp>
#include <fovea/backends/simd/kernels/attention_span.hpp>
#include <fovea/backends/simd/kernels/attention_tasks.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace fovea::core::simd {

/// Tasks: (batch row, part of the keys, group of key heads) for a few queries, else (batch row, head, block or span of
/// queries).
template <class Arch>
inline size_t attention_tasks(const attention_args& a) {
  if (detail::few_queries(a))
    return a.queries == 0 ? 0 : a.batch * detail::key_parts(a) * detail::key_head_groups(a);
  const size_t each = detail::task_queries(a, detail::block_queries<Arch>);
  return a.batch * a.heads * ((a.queries + each - 1) / each);
}

/// Floats of scratch for each thread, for these sizes and all smaller ones of batch, queries and keys: the
/// most of all ways that such a call may take.
template <class Arch>
inline size_t attention_scratch(const attention_args& a) {
  using namespace detail;
  const size_t copied = lie_ready(a) ? 0 : copied_tile(a, block_keys);
  size_t most = rows_scratch<Arch>(a, a.heads) + copied;
  if (!few_queries(a)) most = std::max(most, attention_block<Arch, 2>::scratch(a) + copied);
  if (in_spans(a)) most = std::max(most, attention_span<Arch>::scratch(a));
  return most;
}

/// Attention whose scores pass through a function of the caller's (lambda scores and masks):
///
///   vec<Arch> modify(vec<Arch> score, size_t batch, size_t head, int_vec<Arch> query, int_vec<Arch> key)
///
/// gets scores that are scaled, biased and capped, with the query's and the key's index for each lane (which
/// of the two runs along the lanes depends on the shapes), and returns the score to use, -inf where the key
/// is invisible. Lanes past the last query or key hold indices past the end, and what is returned for them is
/// ignored. The bounds apply afterwards.
template <class Arch, class Modify>
inline void attention(const attention_args& a, const Modify& modify, size_t first, size_t last,
                      float* scratch) {
  using namespace detail;
  if (few_queries(a)) {
    const size_t parts = key_parts(a), groups = key_head_groups(a), heads = a.kv_heads / groups;
    for (size_t task = first; task < last; ++task) {
      const size_t row = task / groups, head = task % groups * heads;
      attend_rows<Arch>(a, modify, row / parts, row % parts, head, head + heads, scratch);
    }
    return;
  }
  const size_t each = task_queries(a, block_queries<Arch>), blocks = (a.queries + each - 1) / each;
  for (size_t task = first; task < last; ++task) {
    const size_t batch = task / blocks / a.heads, head = task / blocks % a.heads,
                 query = first_query(task, blocks, each);
    const auto run_block = [&](auto vectors) {
      attention_block<Arch, vectors> block;
      block.template start<Modify>(a, batch, head, query, scratch, scratch + block_keys * block.queries);
      block.run(modify, scratch + block.scratch(a));
    };
    if (in_spans(a))
      attention_span<Arch>(a, scratch).run(modify, batch, head, query);
    else if (std::min(each, a.queries - query) > width<Arch>)
      run_block(std::integral_constant<size_t, 2>{});
    else
      run_block(std::integral_constant<size_t, 1>{});
  }
}

template <class Arch>
inline void attention(const attention_args& a, size_t first, size_t last, float* scratch) {
  attention<Arch>(a, unmodified{}, first, last, scratch);
}

inline size_t attention_shared(const attention_args& a) { return detail::key_parts_floats(a); }

/// Parts of the keys become one, in their order.
template <class Arch>
inline void join_attention(const attention_args& a) {
  if (detail::key_parts(a) > 1) detail::join_key_parts<Arch>(a);
}

} // namespace fovea::core::simd
