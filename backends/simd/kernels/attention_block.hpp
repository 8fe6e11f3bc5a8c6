#pragma once

// Attention for a block of queries of one head, with the queries in the lanes of the vectors:
//
//   scores [keys, lanes]    = k [keys, width] q^T           keys are broadcast straight from where they lie
//   out^T  [columns, lanes] = v^T [columns, keys] weights   and so are the values
//
// Maxima, sums and rescaling (Milakov and Gimelshein 2018; Dao et al. 2022) then run lane by lane, without a
// reduction across a vector, keys and values need no packing, and any head width is right without tails.
// Only q and out are transposed, once a block.

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/attention_scores.hpp>
#include <fovea/backends/simd/kernels/attention_tile.hpp>
#include <fovea/backends/simd/kernels/by_lane.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/math.hpp>
#include <fovea/backends/simd/kernels/transpose.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace fovea::core::simd::detail {

/// How many keys (or columns of the values) a micro-kernel broadcasts: rows x 2 accumulators, 2 vectors of
/// queries or weights and a broadcast fill the registers. Of 32 short ones 8 rows keep the processor busy.
template <class Arch>
inline constexpr size_t broadcast_rows = Arch::registers < 32 ? 6
                                         : width<Arch> < 8    ? 8
                                                              : 12;

/// Keys in a tile, so that its scores stay in the first-level cache beside q and out.
inline constexpr size_t block_keys = 96;

/// Queries in a block: two vectors of them.
template <class Arch>
inline constexpr size_t block_queries = 2 * width<Arch>;

/// Calls f(index, count) for the counts that `total` falls into, constants of 12, 8, 6, 4, 2 and 1 up to
/// `most`. Counts of 2 and 1 leave units idle, so that 8 is taken as twice 4 where 6 would leave 2.
template <size_t most, class F>
inline void in_constant_steps(size_t total, const F& f) {
  const auto take = [&]<size_t count>(size_t& index) {
    for (; total - index >= count && (count != 6 || total - index != 8); index += count)
      f(index, std::integral_constant<size_t, count>{});
  };
  size_t index = 0;
  if constexpr (most >= 12) {
    take.template operator()<12>(index);
    take.template operator()<8>(index);
  } else {
    take.template operator()<6>(index);
  }
  take.template operator()<4>(index);
  take.template operator()<2>(index);
  take.template operator()<1>(index);
}

/// One block on its way through the tiles; `vectors` of queries, side by side in each row of the scratch.
template <class Arch, size_t vectors>
struct attention_block {
  using v = vec<Arch>;
  using lanes_of = int_vec<Arch>;
  static constexpr size_t lanes = width<Arch>;
  static constexpr size_t queries = vectors * lanes;

  attention_args a;
  size_t batch, head, first_query, count; // count <= queries of them exist
  float *q, *scores, *out; // scratch: [key_width, queries], [block_keys, queries], [columns, queries]
  v largest[vectors];      // of the tile's scores
  v base[vectors];         // running maximum
  v rescale[vectors];      // 2^(old base - new base)
  v sum[vectors];
  lanes_of lower[vectors], upper[vectors]; // the visible keys, where bounds are given
  size_t begin, end;                       // no query sees a key outside
  size_t all_from, all_until;              // each query sees the keys between
  bool plain; // scores need nothing between scaling and masking: they are powers of two from the first

  /// Floats of scratch that the queries and outputs of a block take.
  static size_t kept(const attention_args& args) {
    return queries * (round_up(args.key_width, lanes) + round_up(args.value_width, lanes));
  }

  /// And with the scores.
  static size_t scratch(const attention_args& args) { return block_keys * queries + kept(args); }

  template <class Modify>
  void start(const attention_args& args, size_t batch_row, size_t head_index, size_t query,
             float* score_scratch, float* kept_scratch) {
    a = args;
    batch = batch_row;
    head = head_index;
    first_query = query;
    count = std::min(queries, a.queries - query);
    scores = score_scratch;
    q = kept_scratch;
    out = q + round_up(a.key_width, lanes) * queries;
    begin = all_from = 0;
    end = all_until = a.keys;
    plain = a.bias == nullptr && a.soft_cap == 0 && std::is_same_v<Modify, unmodified>;
    if (a.lower != nullptr) read_bounds();
    pack_queries();
    for (size_t i = 0; i < a.value_width * queries; i += lanes) Arch::store(out + i, v(0.0f));
    for (size_t i = 0; i < vectors; ++i) {
      base[i] = v(lowest_score);
      sum[i] = v(0.0f);
    }
  }

  void read_bounds() {
    alignas(64) std::int32_t from[queries], until[queries];
    const std::int32_t last = static_cast<std::int32_t>(a.keys);
    const size_t offset = batch * a.bounds_batch + first_query;
    std::int32_t least = last, most = 0, most_lower = 0, least_upper = last;
    for (size_t i = 0; i < queries; ++i) {
      from[i] = i < count ? std::clamp(a.lower[offset + i], 0, last) : 0;
      until[i] = i < count ? std::clamp(a.upper[offset + i], from[i], last) : 0;
      if (i >= count) continue;
      most_lower = std::max(most_lower, from[i]);
      least_upper = std::min(least_upper, until[i]);
      if (from[i] == until[i]) continue;
      least = std::min(least, from[i]);
      most = std::max(most, until[i]);
    }
    begin = static_cast<size_t>(least);
    end = static_cast<size_t>(most);
    all_from = static_cast<size_t>(most_lower);
    all_until = static_cast<size_t>(least_upper);
    for (size_t i = 0; i < vectors; ++i) {
      lower[i] = lanes_of::load_aligned(from + i * lanes);
      upper[i] = lanes_of::load_aligned(until + i * lanes);
    }
  }

  /// The queries times the scale, so that their products are scores.
  void pack_queries() {
    const float* from = a.q + batch * a.q_batch + first_query * a.q_row + head * a.key_width;
    const v scale(plain ? a.scale * math::detail::log2_e : a.scale);
    for (size_t i = 0; i < vectors; ++i)
      for (size_t column = 0; column < a.key_width; column += lanes) {
        v square[lanes];
        load_square(square, from + i * lanes * a.q_row + column, a.q_row, i, a.key_width - column);
        transpose<Arch>(square);
        for (size_t c = 0; c < lanes; ++c)
          Arch::store(q + (column + c) * queries + i * lanes, square[c] * scale);
      }
  }

  /// A row for each query of vector i (zeros past the last), `columns` (at most a vector) of each.
  void load_square(v (&square)[lanes], const float* from, size_t row, size_t i, size_t columns) const {
    for (size_t lane = 0; lane < lanes; ++lane) {
      if (i * lanes + lane >= count)
        square[lane] = v(0.0f);
      else if (columns >= lanes)
        square[lane] = Arch::load(from + lane * row);
      else
        square[lane] = Arch::load_first(from + lane * row, columns);
    }
  }

  template <size_t rows>
  void score_rows(const float* k, size_t k_row, float* to) {
    v total[rows][vectors];
    for_constants<rows>([&](auto r) { for_constants<vectors>([&](auto i) { total[r][i] = v(0.0f); }); });
    const float* from = q;
    size_t d = 0;
    if constexpr (multiplies_by_lane<Arch>)
      for (; d + lanes <= a.key_width; d += lanes) {
        v key[rows];
        for_constants<rows>([&](auto r) { key[r] = Arch::load(k + r * k_row + d); });
        for_constants<lanes>([&](auto lane) {
          v query[vectors];
          for_constants<vectors>([&](auto i) { query[i] = Arch::load(from + i * lanes); });
          add_by_lane<Arch, lane>(key, query, total);
          from += queries;
        });
      }
    for (; d < a.key_width; ++d, from += queries) {
      v query[vectors];
      for_constants<vectors>([&](auto i) { query[i] = Arch::load(from + i * lanes); });
      for_constants<rows>([&](auto r) {
        const v key(k[r * k_row + d]);
        for_constants<vectors>([&](auto i) { total[r][i] = Arch::fma(key, query[i], total[r][i]); });
      });
    }
    for_constants<vectors>([&](auto i) {
      v most = largest[i];
      for_constants<rows>([&](auto r) { most = Arch::max(most, total[r][i]); });
      largest[i] = most; // before the stores, which could change it as far as a compiler knows
    });
    for_constants<rows>([&](auto r) {
      for_constants<vectors>([&](auto i) { Arch::store(to + r * queries + i * lanes, total[r][i]); });
    });
  }

  /// Scores of `tile` keys, and their maxima; in powers of two, not of e, where they are final.
  void score(const key_tile& from, size_t tile) {
    for (size_t i = 0; i < vectors; ++i) largest[i] = v(lowest_score);
    in_constant_steps<broadcast_rows<Arch>>(tile, [&](size_t key, auto rows) {
      score_rows<rows>(from.keys + key * from.key_row, from.key_row, scores + key * queries);
    });
  }

  void add_bias(size_t first, size_t tile) {
    const float* from =
        a.bias + batch * a.bias_batch + head * a.bias_head + first_query * a.bias_query + first;
    for (size_t i = 0; i < vectors; ++i)
      for (size_t key = 0; key < tile; key += lanes) {
        const size_t here = std::min(lanes, tile - key);
        v square[lanes];
        load_square(square, from + i * lanes * a.bias_query + key, a.bias_query, i, here);
        transpose<Arch>(square);
        for (size_t c = 0; c < here; ++c) {
          float* score = scores + (key + c) * queries + i * lanes;
          Arch::store(score, Arch::load(score) + square[c]);
        }
      }
  }

  /// Bias, cap, the caller's function and the bounds, in this order, and powers of two for those of e; the
  /// maxima anew.
  template <class Modify>
  void modify_scores(const Modify& modify, size_t first, size_t tile) {
    if (a.bias != nullptr) add_bias(first, tile);
    const bool masked = a.lower != nullptr && (first < all_from || first + tile > all_until);
    for (size_t i = 0; i < vectors; ++i) {
      const lanes_of query = counting<Arch>(first_query + i * lanes);
      largest[i] = v(lowest_score);
      for (size_t j = 0; j < tile; ++j) {
        float* at = scores + j * queries + i * lanes;
        const lanes_of key(static_cast<std::int32_t>(first + j));
        v score = Arch::load(at);
        if (a.soft_cap != 0) score = soft_capped<Arch>(score, a.soft_cap);
        if constexpr (!std::is_same_v<Modify, unmodified>) score = modify(score, batch, head, query, key);
        if (!plain) score = score * v(math::detail::log2_e);
        if (masked) score = visible_only<Arch>(score, key, lower[i], upper[i]);
        largest[i] = Arch::max(largest[i], score);
        Arch::store(at, score);
      }
    }
  }

  /// Scores become weights 2^(score - base).
  void weigh(size_t tile) {
    v total[vectors], origin[vectors];
    for_constants<vectors>([&](auto i) {
      origin[i] = Arch::max(base[i], largest[i]);
      rescale[i] = math::exp2_of_nonpositive<Arch>(base[i] - origin[i]);
      base[i] = origin[i];
      total[i] = v(0.0f);
    });
    float* at = scores;
    for (size_t j = 0; j < tile; ++j, at += queries)
      for_constants<vectors>([&](auto i) {
        const v weight = math::exp2_of_nonpositive<Arch>(Arch::load(at + i * lanes) - origin[i]);
        total[i] += weight;
        Arch::store(at + i * lanes, weight);
      });
    for_constants<vectors>([&](auto i) { sum[i] = Arch::fma(sum[i], rescale[i], total[i]); });
  }

  template <size_t rows>
  void add_value_rows(const float* value, size_t value_row, float* to, size_t tile) {
    v total[rows][vectors];
    for_constants<rows>([&](auto r) {
      for_constants<vectors>(
          [&](auto i) { total[r][i] = Arch::load(to + r * queries + i * lanes) * rescale[i]; });
    });
    const float* from = scores;
    for (size_t j = 0; j < tile; ++j, from += queries, value += value_row) {
      v weight[vectors];
      for_constants<vectors>([&](auto i) { weight[i] = Arch::load(from + i * lanes); });
      if constexpr (multiplies_by_lane<Arch>)
        add_by_lanes<Arch>(value, weight, total);
      else
        for_constants<rows>([&](auto r) {
          const v column(value[r]);
          for_constants<vectors>([&](auto i) { total[r][i] = Arch::fma(column, weight[i], total[r][i]); });
        });
    }
    for_constants<rows>([&](auto r) {
      for_constants<vectors>([&](auto i) { Arch::store(to + r * queries + i * lanes, total[r][i]); });
    });
  }

  /// out^T = out^T rescale + v^T weights
  void add_values(const key_tile& from, size_t tile) {
    in_constant_steps<broadcast_rows<Arch>>(a.value_width, [&](size_t column, auto rows) {
      add_value_rows<rows>(from.values + column, from.value_row, out + column * queries, tile);
    });
  }

  void write() const {
    float* to = a.out + batch * a.out_batch + first_query * a.out_row + head * a.value_width;
    for (size_t i = 0; i < vectors; ++i) {
      const v share = share_of<Arch>(sum[i]);
      for (size_t column = 0; column < a.value_width; column += lanes) {
        const size_t columns = std::min(lanes, a.value_width - column);
        v square[lanes];
        for (size_t c = 0; c < lanes; ++c)
          square[c] = c < columns ? Arch::load(out + (column + c) * queries + i * lanes) * share : v(0.0f);
        transpose<Arch>(square);
        for (size_t lane = 0; lane < lanes && i * lanes + lane < count; ++lane) {
          float* row = to + (i * lanes + lane) * a.out_row + column;
          if (columns == lanes)
            Arch::store(row, square[lane]);
          else
            Arch::store_first(row, square[lane], columns);
        }
      }
    }
  }

  /// `tile` keys from `first`, rows from `from` on.
  template <class Modify>
  void add_tile(const Modify& modify, const key_tile& from, size_t first, size_t tile) {
    score(from, tile);
    if (!plain || first < all_from || first + tile > all_until) modify_scores(modify, first, tile);
    weigh(tile);
    add_values(from, tile);
  }

  /// `copy` has room for a tile that is kept in another format.
  template <class Modify>
  void run(const Modify& modify, float* copy) {
    // Tiles end at the same keys whatever queries are in the block: blocks of one vector give the bits of two.
    for (size_t first = begin, until; first < end; first = until) {
      until = std::min((first / block_keys + 1) * block_keys, end);
      const size_t keys = until - first;
      add_tile(modify, ready_tile<Arch>(a, batch, head / (a.heads / a.kv_heads), first, keys, copy), first,
               keys);
    }
    write();
  }
};

} // namespace fovea::core::simd::detail
