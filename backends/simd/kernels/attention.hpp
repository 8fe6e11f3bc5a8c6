#pragma once

// Scaled dot-product attention with an online softmax (see attention_args in table.hpp).

#include <fovea/backends/simd/kernels/attention_block.hpp>
#include <fovea/backends/simd/kernels/attention_rows.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

#include <algorithm>
#include <cstddef>

namespace fovea::simd {

namespace detail {

/// So few queries leave most lanes of a block empty.
inline bool few_queries(const attention_args& a) { return a.queries <= 4; }

template <class Arch>
inline size_t query_blocks(const attention_args& a) {
  return (a.queries + block_queries<Arch> - 1) / block_queries<Arch>;
}

} // namespace detail

/// Tasks: (batch row, key head) for up to four queries, else (batch row, head, block of queries).
template <class Arch>
inline size_t attention_tasks(const attention_args& a) {
  return detail::few_queries(a) ? a.batch * a.kv_heads * (a.queries > 0)
                                : a.batch * a.heads * detail::query_blocks<Arch>(a);
}

/// Floats of scratch for each thread.
template <class Arch>
inline size_t attention_scratch(const attention_args& a) {
  return detail::few_queries(a) ? detail::rows_scratch<Arch>(a) : detail::block_scratch<Arch>(a);
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
    for (size_t task = first; task < last; ++task)
      attention_rows<Arch>(a, task / a.kv_heads, task % a.kv_heads, scratch).run(modify);
    return;
  }
  const size_t blocks = query_blocks<Arch>(a);
  for (size_t task = first; task < last; ++task) {
    const size_t batch = task / blocks / a.heads, head = task / blocks % a.heads;
    const size_t query = task % blocks * block_queries<Arch>;
    if (a.queries - query > width<Arch>)
      attention_block<Arch, 2>(a, batch, head, query, scratch).run(modify);
    else
      attention_block<Arch, 1>(a, batch, head, query, scratch).run(modify);
  }
}

template <class Arch>
inline void attention(const attention_args& a, size_t first, size_t last, float* scratch) {
  attention<Arch>(a, unmodified{}, first, last, scratch);
}

} // namespace fovea::simd
