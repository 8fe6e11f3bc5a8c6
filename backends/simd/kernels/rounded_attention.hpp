#pragma once

// Attention of many queries by whole numbers of 16 bits: what attention_block.hpp computes, with both products by
// integers. Query and key have a scale each; a value's scale is a power of two that its weight takes up, which is
// rounded to 1 / 4095 of the largest in a tile. No number depends on a key that its query does not see.

#include <fovea/backends/simd/kernels/attention_block.hpp>
#include <fovea/backends/simd/kernels/attention_span.hpp>
#include <fovea/backends/simd/kernels/attention_tasks.hpp>
#include <fovea/backends/simd/kernels/rounded_tile.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

#include <algorithm>
#include <cstddef>

namespace fovea::core::simd {

namespace detail {

template <class Arch>
struct rounded_attention_block : attention_block<Arch, 2> {
  using in_float32 = attention_block<Arch, 2>;
  using v = vec<Arch>;
  using integers = int_vec<Arch>;
  using in_float32::a;
  using in_float32::base;
  using in_float32::lanes;
  using in_float32::largest;
  using in_float32::out;
  using in_float32::q;
  using in_float32::queries;
  using in_float32::rescale;
  using in_float32::scores;
  using in_float32::sum;
  static constexpr size_t vectors = 2;
  static_assert(least_rounded_task % queries == 0);

  v query_scale[vectors];
  v share[vectors]; // 2^(largest - base)

  template <class Modify>
  void start(const attention_args& args, size_t batch_row, size_t head_index, size_t query,
             float* score_scratch, float* kept_scratch) {
    in_float32::template start<Modify>(args, batch_row, head_index, query, score_scratch, kept_scratch);
    this->begin -= this->begin % 2; // a key and the next are a pair
    round_queries();
  }

  /// In place: [pairs_of(key_width), queries] of q.
  void round_queries() {
    const v most(most_of_key(a.key_width)), zero(0.0f);
    const size_t half = pairs_of(a.key_width);
    for (size_t i = 0; i < vectors; ++i) {
      float* const at = q + i * lanes;
      largest_magnitude<Arch> all;
      for (size_t d = 0; d < a.key_width; ++d) all.see(Arch::load(at + d * queries));
      const v magnitude = all.of_lanes();
      query_scale[i] = Arch::fma(magnitude, zero, magnitude / most); // NaN where a number is not finite
      const v steps = Arch::select(magnitude > v(0x1p-100f), most / magnitude, zero);
      const auto number = [&](size_t d) {
        return rounded<Arch>(d < a.key_width ? Arch::load(at + d * queries) : zero, steps);
      };
      for (size_t d = 0; d < half; ++d)
        Arch::store(at + d * queries, as_pairs<Arch>(number(d), number(d + half)));
    }
  }

  /// sums[r][i] = the products of `count` pairs of row r with those in vector i of as many rows at `by`. Rows at x begin
  /// `row` floats apart, and their pairs lie `apart` floats apart.
  template <size_t rows>
  [[gnu::always_inline]] static void multiply(const float* x, size_t row, size_t apart, const float* by,
                                              size_t count, integers (&sums)[rows][vectors]) {
    for_constants<rows>([&](auto r) { for_constants<vectors>([&](auto i) { sums[r][i] = integers(0); }); });
    for (size_t d = 0; d < count; ++d, x += apart, by += queries) {
      integers pairs[vectors];
      for_constants<vectors>([&](auto i) { pairs[i] = Arch::bits(Arch::load(by + i * lanes)); });
      for_constants<rows>([&](auto r) {
        const integers one = Arch::bits(v(x[r * row]));
        for_constants<vectors>([&](auto i) { sums[r][i] = Arch::dot_shorts(sums[r][i], one, pairs[i]); });
      });
    }
  }

  /// Scores, and what is `added` to each key's.
  template <size_t rows>
  void score_rows(const float* keys, size_t key_row, const float* scales, const float* added, float* to) {
    integers sums[rows][vectors];
    multiply<rows>(keys, key_row, 1, q, pairs_of(a.key_width), sums);
    v score[rows][vectors];
    for_constants<rows>([&](auto r) {
      for_constants<vectors>([&](auto i) {
        score[r][i] = Arch::fma(Arch::to_float(sums[r][i]), query_scale[i] * v(scales[r]), v(added[r]));
      });
    });
    for_constants<vectors>([&](auto i) {
      v most = largest[i];
      for_constants<rows>([&](auto r) { most = Arch::max(most, score[r][i]); });
      largest[i] = most;
    });
    for_constants<rows>([&](auto r) {
      for_constants<vectors>([&](auto i) { Arch::store(to + r * queries + i * lanes, score[r][i]); });
    });
  }

  void score(const rounded_tile& from, const float* added, size_t tile) {
    for (size_t i = 0; i < vectors; ++i) largest[i] = v(lowest_score);
    in_constant_steps<broadcast_rows<Arch>>(tile, [&](size_t key, auto rows) {
      score_rows<rows>(from.keys + key * from.key_row, from.key_row, from.key_scales + key, added + key,
                       scores + key * queries);
    });
  }

  /// Of scores that wait for them; the maxima anew.
  void add_exponents(const rounded_tile& from, size_t tile) {
    for (size_t i = 0; i < vectors; ++i) {
      largest[i] = v(lowest_score);
      for (size_t j = 0; j < tile; ++j) {
        float* at = scores + j * queries + i * lanes;
        const v bare = Arch::load(at);
        const v score = Arch::select(bare >= v(lowest_score), bare + v(from.exponents[j]),
                                     bare); // the exponent of an unseen key may be NaN
        largest[i] = Arch::max(largest[i], score);
        Arch::store(at, score);
      }
    }
  }

  /// Scores become pairs of weights, those of a key and the next: 2^(score - largest), rounded. Their sum is of exact ones
  /// and without the scales of values: a value that is small or zero may have most of the weight.
  void weigh(const rounded_tile& from, size_t tile) {
    for_constants<vectors>([&](auto i) {
      const v origin = largest[i], next = Arch::max(base[i], origin);
      rescale[i] = math::exp2_of_nonpositive<Arch>(base[i] - next);
      share[i] = math::exp2_of_nonpositive<Arch>(origin - next);
      base[i] = next;
      float *at = scores + i * lanes, *to = at;
      if (tile % 2 != 0) Arch::store(at + tile * queries, v(invisible));
      v total(0.0f);
      for (size_t j = 0; j < tile; j += 2, at += 2 * queries, to += queries) {
        const auto weight = [&](size_t of) {
          const v exact = math::exp2_of_nonpositive<Arch>(Arch::load(at + of * queries) - origin);
          total = Arch::fma(exact, v(from.steps[j + of]), total);
          return rounded<Arch>(exact, v(most_of_value));
        };
        const v first = weight(0);
        Arch::store(to, as_pairs<Arch>(first, weight(1)));
      }
      sum[i] = Arch::fma(sum[i], rescale[i], total * (share[i] * v(most_of_value))); // as outputs are
    });
  }

  template <size_t rows>
  void add_value_rows(const float* value, size_t value_row, float* to, size_t pairs) {
    integers sums[rows][vectors];
    multiply<rows>(value, 1, value_row, scores, pairs, sums);
    for_constants<vectors>([&](auto i) {
      for_constants<rows>([&](auto r) {
        float* at = to + r * queries + i * lanes;
        Arch::store(at, Arch::fma(Arch::to_float(sums[r][i]), share[i], Arch::load(at) * rescale[i]));
      });
    });
  }

  void add_values(const rounded_tile& from, size_t tile) {
    in_constant_steps<broadcast_rows<Arch>>(a.value_width, [&](size_t column, auto rows) {
      add_value_rows<rows>(from.values + column, from.value_row, out + column * queries, pairs_of(tile));
    });
  }

  template <class Modify>
  void add_tile(const Modify& modify, const rounded_tile& from, size_t first, size_t tile) {
    static constexpr float nothing[block_keys] = {};
    const bool are_final = this->plain && first >= this->all_from && first + tile <= this->all_until;
    score(from, are_final ? from.exponents : nothing, tile);
    if (!are_final) {
      this->modify_scores(modify, first, tile);
      add_exponents(from, tile);
    }
    weigh(from, tile);
    add_values(from, tile);
  }
};

/// The tiles of all key heads, one behind the other, where they are rounded before the tasks: tasks of many threads are
/// of few queries each.
struct rounded_tiles {
  static constexpr size_t most_floats = 1 << 20; // which stay in a cache

  static size_t of_head(const attention_args& a) { return ceil_div(a.keys, block_keys); }
  static size_t count(const attention_args& a) { return a.batch * a.kv_heads * of_head(a); }
  static size_t floats(const attention_args& a) { return count(a) * rounded_tile::floats(a, block_keys); }
  static bool come_first(const attention_args& a) { return a.threads > 1 && floats(a) <= most_floats; }
  static rounded_tile at(const attention_args& a, size_t tile) {
    return {a, block_keys, a.shared + tile * rounded_tile::floats(a, block_keys)};
  }
};

/// Long attention as attention_span.hpp has it, each tile being rounded once for its blocks, or before.
template <class Arch>
struct rounded_span {
  using block = rounded_attention_block<Arch>;

  const attention_args& a;
  float *scores, *copy,
      *kept; // scratch: scores of a block, a tile in float32, queries and outputs of the blocks
  rounded_tile rounded;
  block_span<block> span;

  static size_t copied(const attention_args& a) { return lie_ready(a) ? 0 : copied_tile(a, block_keys); }
  static size_t blocks_of(const attention_args& a) {
    return ceil_div(std::min(rounded_task_queries(a), a.queries), block::queries);
  }
  static size_t scratch(const attention_args& a) {
    return block_keys * block::queries + copied(a) + blocks_of(a) * block::kept(a) +
           rounded_tile::floats(a, block_keys);
  }

  rounded_span(const attention_args& args, float* scratch)
      : a(args), scores(scratch), copy(scores + block_keys * block::queries), kept(copy + copied(args)),
        rounded(args, block_keys, kept + blocks_of(args) * block::kept(args)) {}

  template <class Modify>
  void run(const Modify& modify, size_t batch, size_t head, size_t first_query) {
    const size_t key_head = head / (a.heads / a.kv_heads),
                 tile = (batch * a.kv_heads + key_head) * rounded_tiles::of_head(a);
    span.run(a, modify, batch, head, first_query, std::min(first_query + rounded_task_queries(a), a.queries),
             scores, kept, [&](size_t first, size_t count) {
               if (rounded_tiles::come_first(a))
                 return rounded_tiles::at(a, tile + first / block_keys).from(first % block_keys);
               rounded.template round<Arch>(a, ready_tile<Arch>(a, batch, key_head, first, count, copy),
                                            count);
               return rounded;
             });
  }
};

} // namespace detail

/// For what `rounds` says (attention_tasks.hpp). Tasks: (batch row, head, span of queries).
inline size_t rounded_attention_tasks(const attention_args& a) {
  return a.batch * a.heads * detail::ceil_div(a.queries, detail::rounded_task_queries(a));
}

template <class Arch>
inline size_t rounded_attention_scratch(const attention_args& a) {
  return detail::rounded_span<Arch>::scratch(a);
}

template <class Arch>
inline void rounded_attention(const attention_args& a, size_t first, size_t last, float* scratch) {
  const size_t each = detail::rounded_task_queries(a), spans = detail::ceil_div(a.queries, each);
  for (size_t task = first; task < last; ++task)
    detail::rounded_span<Arch>(a, scratch)
        .run(unmodified{}, task / spans / a.heads, task / spans % a.heads,
             detail::first_query(task, spans, each));
}

inline size_t rounded_attention_shared(const attention_args& a) {
  using tiles = detail::rounded_tiles;
  return a.threads > 1 ? std::min(tiles::floats(a), tiles::most_floats) : 0;
}

/// Tasks: tiles.
inline size_t round_attention_tasks(const attention_args& a) {
  return detail::rounded_tiles::come_first(a) ? detail::rounded_tiles::count(a) : 0;
}

template <class Arch>
inline void round_attention(const attention_args& a, size_t first, size_t last, float* scratch) {
  using namespace detail;
  for (size_t task = first; task < last; ++task) {
    const size_t tiles = rounded_tiles::of_head(a), head = task / tiles, key = task % tiles * block_keys,
                 count = smaller(block_keys, a.keys - key);
    rounded_tiles::at(a, task).template round<Arch>(
        a, ready_tile<Arch>(a, head / a.kv_heads, head % a.kv_heads, key, count, scratch), count);
  }
}

/// None where float32's products take no longer.
template <class Arch>
inline constexpr rounded_attention_kernel rounded_attention_of = [] {
  if constexpr (multiplies_shorts<Arch>)
    return rounded_attention_kernel{.tasks = rounded_attention_tasks,
                                    .scratch = rounded_attention_scratch<Arch>,
                                    .shared = rounded_attention_shared,
                                    .round_tasks = round_attention_tasks,
                                    .round = round_attention<Arch>,
                                    .run = rounded_attention<Arch>};
  else
    return rounded_attention_kernel{};
}();

} // namespace fovea::core::simd
