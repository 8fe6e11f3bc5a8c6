#pragma once

// Long attention: blocks of queries of one head that take each tile of keys and values together, from a copy.
// Long sequences outgrow the second-level cache: blocks one by one would fetch them anew.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/attention_block.hpp>
#include <fovea/backends/simd/kernels/attention_tasks.hpp>
#include <fovea/backends/simd/kernels/attention_tile.hpp>

#include <algorithm>
#include <cstddef>

namespace fovea::core::simd::detail {

/// Blocks that take their tiles together. Tiles begin at the same keys whatever blocks there are: so many threads give
/// the same bits as others.
template <class Block>
struct block_span {
  static constexpr size_t most = span_most_queries / Block::queries;
  Block blocks[most];

  /// The queries before `last_query`; tile_of(first, count) has so many keys from `first` on. `kept` has room for what each
  /// block keeps.
  template <class Modify, class Tile>
  void run(const attention_args& a, const Modify& modify, size_t batch, size_t head, size_t first_query,
           size_t last_query, float* scores, float* kept, const Tile& tile_of) {
    size_t count = 0, begin = a.keys, end = 0;
    for (size_t query = first_query; query < last_query; query += Block::queries, ++count) {
      Block& b = blocks[count];
      b.template start<Modify>(a, batch, head, query, scores, kept + count * b.kept(a));
      begin = std::min(begin, b.begin);
      end = std::max(end, b.end);
    }
    for (size_t first = begin / block_keys * block_keys; first < end; first += block_keys) {
      const size_t from = std::max(first, begin), until = std::min(first + block_keys, end);
      const auto tile = tile_of(from, until - from);
      for (size_t i = 0; i < count; ++i) {
        const size_t here = std::max(from, blocks[i].begin), stop = std::min(until, blocks[i].end);
        if (here < stop) blocks[i].add_tile(modify, tile.from(here - from), here, stop - here);
      }
    }
    for (size_t i = 0; i < count; ++i) blocks[i].write();
  }
};

template <class Arch>
struct attention_span {
  using block = attention_block<Arch, 2>;

  const attention_args& a;
  float *scores, *copy, *kept; // scratch: scores of a block, the tile, queries and outputs of the blocks
  block_span<block> span;

  static size_t scratch(const attention_args& a) {
    return block_keys * block::queries + copied_tile(a, block_keys) +
           span_queries(a) / block::queries * block::kept(a);
  }

  attention_span(const attention_args& args, float* scratch)
      : a(args), scores(scratch), copy(scores + block_keys * block::queries),
        kept(copy + copied_tile(args, block_keys)) {}

  template <class Modify>
  void run(const Modify& modify, size_t batch, size_t head, size_t first_query) {
    span.run(a, modify, batch, head, first_query, std::min(first_query + span_queries(a), a.queries), scores,
             kept, [&](size_t first, size_t count) {
               return copy_of<Arch>(a, tile_at(a, batch, head / (a.heads / a.kv_heads), first), count, copy);
             });
  }
};

} // namespace fovea::core::simd::detail
