#pragma once

// Attention for one or a few queries (decoding): the keys are in the lanes of the scores, the columns in the
// lanes of the output. Keys and values are read once, some rows of all heads behind each other as memory has
// them, for all queries and heads that read them: up to four of these multiply each vector that is loaded.

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/attention_parts.hpp>
#include <fovea/backends/simd/kernels/attention_scores.hpp>
#include <fovea/backends/simd/kernels/attention_tile.hpp>
#include <fovea/backends/simd/kernels/kept_values.hpp>
#include <fovea/backends/simd/kernels/math.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>
#include <fovea/backends/simd/kernels/transpose.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace fovea::core::simd::detail {

/// Keys whose scores are turned into weights together: a multiple of every vector's width.
inline constexpr size_t row_keys = 128;
/// How many keys are fetched ahead, and the fewest keys or values of one head that are read before those of the
/// next: so many of them, 4 KB apart, find room in the first-level cache beside each other.
inline constexpr size_t least_rows_at_once = 8;
/// Keys and values of more bytes come from memory, which is read fastest row by row.
inline constexpr size_t cached_bytes = size_t{16} << 20;

/// Keys or values of one head, of rows of so many floats, that are read before those of the next head: as many as
/// the first-level cache holds beside each other, since each four queries of a head read them anew.
template <class Arch>
inline size_t rows_at_once(size_t keys, size_t row) {
  constexpr size_t most = row_keys / 2;
  size_t rows = least_rows_at_once;
  if (2 * keys * row * sizeof(float) < cached_bytes)
    while (rows < most && rows / least_rows_at_once * row * sizeof(float) % 4096 != 0) rows *= 2;
  return larger(rows, width<Arch>);
}

/// Floats that a row keeps between tiles: q and out, padded to vectors, running maximum and sum.
template <class Arch>
inline size_t row_floats(const attention_args& a) {
  const size_t lanes = width<Arch>;
  return (a.key_width + lanes - 1) / lanes * lanes + (a.value_width + lanes - 1) / lanes * lanes + lanes;
}

/// Keys or values of a head in float32: where they lie, or in a copy.
struct ready_rows {
  const float* first;
  size_t row;
  bool are_copied;

  const float* at(size_t index) const { return first + index * row; }
};

template <class Arch>
inline ready_rows ready(weight_format format, const float* from, size_t row, size_t rows, size_t columns,
                        float* copy) {
  if (format == weight_format::f32) return {from, row, false};
  read_kept<Arch>(format, from, row, rows, columns, copy);
  return {copy, columns, true};
}

/// Floats of scratch for these queries of as many heads, and for fewer; behind them, those of a copy.
template <class Arch>
inline size_t rows_scratch(const attention_args& a, size_t heads) {
  return heads * std::min(a.queries, most_few_queries) * (row_keys + row_floats<Arch>(a));
}

/// The queries of all heads that read one key head, and some of the keys.
template <class Arch>
struct attention_rows {
  using v = vec<Arch>;
  using lanes_of = int_vec<Arch>;
  static constexpr size_t lanes = width<Arch>;

  const attention_args& a;
  size_t batch, kv_head, group;
  float *scores, *rows;
  size_t key_vectors, value_vectors; // whole vectors of a key or value; key_rest, value_rest floats remain
  size_t key_rest, value_rest;

  attention_rows(const attention_args& args, size_t batch_row, size_t key_head, float* scratch)
      : a(args), batch(batch_row), kv_head(key_head), group(args.heads / args.kv_heads), scores(scratch),
        rows(scratch + group * args.queries * row_keys), key_vectors(args.key_width / lanes),
        value_vectors(args.value_width / lanes), key_rest(args.key_width % lanes),
        value_rest(args.value_width % lanes) {}

  struct row {
    size_t head, query;
    float *q, *out, *base, *sum, *scores;
  };

  row row_at(size_t index) const {
    row r{};
    r.head = kv_head * group + index / a.queries;
    r.query = index % a.queries;
    r.scores = scores + index * row_keys;
    r.q = rows + index * row_floats<Arch>(a);
    r.out = r.q + (key_vectors + (key_rest != 0)) * lanes;
    r.base = r.out + (value_vectors + (value_rest != 0)) * lanes;
    r.sum = r.base + 1;
    return r;
  }

  void start(const row& r) const {
    const float* from = a.q + batch * a.q_batch + r.query * a.q_row + r.head * a.key_width;
    for (size_t i = 0; i < key_vectors; ++i) Arch::store(r.q + i * lanes, Arch::load(from + i * lanes));
    if (key_rest != 0)
      Arch::store(r.q + key_vectors * lanes, Arch::load_first(from + key_vectors * lanes, key_rest));
    for (float* to = r.out; to < r.base; to += lanes) Arch::store(to, v(0.0f));
    *r.base = lowest_score;
    *r.sum = 0;
  }

  /// The products of `count` rows from `index` with `some` keys whose scores begin at `place`. What a vector's
  /// lanes after them hold is not meant for anyone.
  template <size_t count>
  void multiply(size_t index, const ready_rows& keys, size_t some, size_t place) const {
    constexpr size_t together = lanes / count;
    const float* q[count];
    float* to[count];
    for (size_t r = 0; r < count; ++r) {
      q[r] = row_at(index + r).q;
      to[r] = row_at(index + r).scores + place;
    }
    for (size_t j = 0; j < some; j += together) {
      const float* key[together];
      for (size_t k = 0; k < together; ++k) {
        key[k] = keys.at(std::min(j + k, some - 1));
        if constexpr (count > 1) // one row multiplies no faster than memory is read
          if (!keys.are_copied) fetch(key[k] + least_rows_at_once * keys.row, a.key_width);
      }
      v total[lanes];
      for_constants<lanes>([&](auto i) { total[i] = v(0.0f); });
      const auto add = [&](size_t at, auto load) __attribute__((always_inline)) {
        v by[count];
        for_constants<count>([&](auto r) {
          by[r] = Arch::load(q[r] + at);
          if constexpr (together > 1) by[r] = Arch::in_register(by[r]);
        });
        for_constants<together>([&](auto k) {
          const v of = load(key[k] + at);
          for_constants<count>(
              [&](auto r) { total[r * together + k] = Arch::fma(of, by[r], total[r * together + k]); });
        });
      };
      for (size_t i = 0; i < key_vectors; ++i) add(i * lanes, [](const float* p) { return Arch::load(p); });
      if (key_rest != 0)
        add(key_vectors * lanes, [&](const float* p) { return Arch::load_first(p, key_rest); });
      const v sums = sums_of_lanes<Arch>(total);
      if constexpr (count == 1) {
        Arch::store(to[0] + j, sums);
      } else {
        alignas(64) float each[lanes];
        sums.store_aligned(each);
        for (size_t r = 0; r < count; ++r)
          std::memcpy(to[r] + j, each + r * together, together * sizeof(float));
      }
    }
  }

  /// From the products with `tile` keys from `first` their scores, -inf in the lanes after the last; returns
  /// the largest.
  template <class Modify>
  float score(const Modify& modify, const row& r, size_t first, size_t tile) const {
    const float* bias = a.bias == nullptr ? nullptr
                                          : a.bias + batch * a.bias_batch + r.head * a.bias_head +
                                                r.query * a.bias_query + first;
    std::int32_t from = 0, until = static_cast<std::int32_t>(first + tile);
    if (a.lower != nullptr) {
      from = a.lower[batch * a.bounds_batch + r.query];
      until = std::min(until, a.upper[batch * a.bounds_batch + r.query]);
    }
    v largest(lowest_score);
    size_t j = 0;
    if (std::is_same_v<Modify, unmodified> && bias == nullptr && a.soft_cap == 0 &&
        from <= static_cast<std::int32_t>(first) && until == static_cast<std::int32_t>(first + tile))
      for (; j + lanes <= tile; j += lanes) {
        const v value = Arch::load(r.scores + j) * v(a.scale) * v(math::detail::log2_e);
        largest = Arch::max(largest, value);
        Arch::store(r.scores + j, value);
      }
    for (; j < tile; j += lanes) {
      const size_t count = std::min(lanes, tile - j);
      v value = Arch::load(r.scores + j) * v(a.scale);
      if (bias != nullptr) value += count == lanes ? Arch::load(bias + j) : Arch::load_first(bias + j, count);
      if (a.soft_cap != 0) value = soft_capped<Arch>(value, a.soft_cap);
      const lanes_of key = counting<Arch>(first + j);
      if constexpr (!std::is_same_v<Modify, unmodified>)
        value = modify(value, batch, r.head, lanes_of(static_cast<std::int32_t>(r.query)), key);
      value = value * v(math::detail::log2_e); // powers of two for those of e
      value = visible_only<Arch>(value, key, lanes_of(from), lanes_of(until));
      largest = Arch::max(largest, value);
      Arch::store(r.scores + j, value);
    }
    return reduce_max<Arch>(largest);
  }

  /// Scores become weights; returns by how much what was summed before must shrink.
  float weigh(const row& r, float largest, size_t tile) const {
    const float old = *r.base;
    *r.base = std::max(old, largest);
    const v base(*r.base);
    v total(0.0f);
    for (size_t j = 0; j < tile; j += lanes) {
      const v weight = math::exp2_of_nonpositive<Arch>(Arch::load(r.scores + j) - base);
      total += weight;
      Arch::store(r.scores + j, weight);
    }
    const float rescale = math::exp2_of_nonpositive<Arch>(v(old) - base).get(0);
    *r.sum = *r.sum * rescale + reduce_add<Arch>(total);
    return rescale;
  }

  /// The weights that `count` rows give some values, and what these rows keep.
  template <size_t count>
  struct weighed {
    const float* weights[count];
    float* out[count];
  };

  /// `some` values, weighted, are added to what rows keep: `vectors` vectors of columns from `column`. A row's sums
  /// are the same however many rows there are.
  template <size_t vectors, size_t count>
  static void add_columns(const weighed<count>& to, const ready_rows& values, size_t some, size_t column,
                          size_t rest = 0) {
    v total[count * vectors];
    for_constants<count * vectors>([&](auto i) { total[i] = v(0.0f); });
    const float* value = values.first + column;
    for (size_t j = 0; j < some; ++j, value += values.row)
      for_constants<vectors>([&](auto i) {
        const v of = rest == 0 ? Arch::load(value + i * lanes) : Arch::load_first(value, rest);
        for_constants<count>([&](auto r) {
          v& sum = total[r * vectors + i];
          sum = Arch::fma(v(to.weights[r][j]), of, sum);
        });
      });
    for_constants<count>([&](auto r) {
      float* out = to.out[r] + column;
      for_constants<vectors>([&](auto i) {
        Arch::store(out + i * lanes, Arch::load(out + i * lanes) + total[r * vectors + i]);
      });
    });
  }

  /// `some` values, weighted by the scores from `place` on of `count` rows from `index`, are added to what these keep.
  template <size_t count>
  void add_values(size_t index, const ready_rows& values, size_t some, size_t place) const {
    constexpr size_t together = count * 4 + 4 < Arch::registers ? 4 : 2; // whose sums find room in registers
    weighed<count> to;
    for (size_t r = 0; r < count; ++r) {
      const row each = row_at(index + r);
      to.weights[r] = each.scores + place, to.out[r] = each.out;
    }
    size_t i = 0;
    for (; i + together <= value_vectors; i += together) add_columns<together>(to, values, some, i * lanes);
    for (; i < value_vectors; ++i) add_columns<1>(to, values, some, i * lanes);
    if (value_rest != 0) add_columns<1>(to, values, some, i * lanes, value_rest);
  }

  void rescale(const row& r, float by) const {
    for (float* to = r.out; to < r.base; to += lanes) Arch::store(to, Arch::load(to) * v(by));
  }

  /// f(index, how many) for all rows, four at a time and then one by one.
  template <class F>
  void for_rows(const F& f) const {
    size_t i = 0;
    for (; i + 4 <= group * a.queries; i += 4) f(i, std::integral_constant<size_t, 4>{});
    for (; i < group * a.queries; ++i) f(i, std::integral_constant<size_t, 1>{});
  }

  void write(const row& r, size_t part, size_t parts) const {
    if (parts > 1) {
      const part_result to(a, batch, r.head, r.query, part);
      std::memcpy(to.sums, r.out, a.value_width * sizeof(float));
      *to.base = *r.base, *to.weight = *r.sum;
      return;
    }
    float* to = a.out + batch * a.out_batch + r.query * a.out_row + r.head * a.value_width;
    const v share = share_of<Arch>(v(*r.sum));
    for (size_t i = 0; i < value_vectors; ++i)
      Arch::store(to + i * lanes, Arch::load(r.out + i * lanes) * share);
    if (value_rest != 0)
      Arch::store_first(to + value_vectors * lanes, Arch::load(r.out + value_vectors * lanes) * share,
                        value_rest);
  }

  void start() const {
    for (size_t i = 0; i < group * a.queries; ++i) start(row_at(i));
  }

  /// `some` keys from `first` on, whose scores begin at `place`; `copy` has room for them.
  void multiply(size_t first, size_t some, size_t place, float* copy) const {
    const ready_rows keys =
        ready<Arch>(a.key_format, tile_at(a, batch, kv_head, first).keys, a.k_row, some, a.key_width, copy);
    for_rows([&](size_t index, auto count) { multiply<count>(index, keys, some, place); });
  }

  /// The scores of `tile` keys from `first` on; are they the first of all?
  template <class Modify>
  void weigh(const Modify& modify, size_t first, size_t tile, bool is_first) const {
    for (size_t i = 0; i < group * a.queries; ++i) {
      const row r = row_at(i);
      const float shrunk = weigh(r, score(modify, r, first, tile), tile);
      if (!is_first) rescale(r, shrunk);
    }
  }

  void add_values(size_t first, size_t some, size_t place, float* copy) const {
    const ready_rows values = ready<Arch>(a.value_format, tile_at(a, batch, kv_head, first).values, a.v_row,
                                          some, a.value_width, copy);
    for_rows([&](size_t index, auto count) { add_values<count>(index, values, some, place); });
  }

  void write(size_t part, size_t parts) const {
    for (size_t i = 0; i < group * a.queries; ++i) write(row_at(i), part, parts);
  }
};

/// The keys of a part that any query of a batch row sees.
struct part_keys {
  size_t begin = 0, end;

  part_keys(const attention_args& a, size_t batch, size_t part, size_t parts) : end(a.keys) {
    if (a.lower != nullptr) {
      const std::int32_t* lower = a.lower + batch * a.bounds_batch;
      const std::int32_t* upper = a.upper + batch * a.bounds_batch;
      begin = static_cast<size_t>(std::max(0, *std::min_element(lower, lower + a.queries)));
      end = std::min(end, static_cast<size_t>(std::max(0, *std::max_element(upper, upper + a.queries))));
    }
    const size_t each = ((a.keys + parts - 1) / parts + row_keys - 1) / row_keys * row_keys;
    begin = std::max(begin, part * each);
    end = std::min(end, (part + 1) * each);
  }
};

/// A part of the keys of the key heads from `first_head` on, before `last_head`.
template <class Arch, class Modify>
inline void attend_rows(const attention_args& a, const Modify& modify, size_t batch, size_t part,
                        size_t first_head, size_t last_head, float* scratch) {
  const size_t each = rows_scratch<Arch>(a, a.heads / a.kv_heads), parts = key_parts(a);
  const auto for_heads = [&](const auto& f) {
    for (size_t head = first_head; head < last_head; ++head)
      f(attention_rows<Arch>(a, batch, head, scratch + (head - first_head) * each));
  };
  float* const copy = scratch + (last_head - first_head) * each;
  const part_keys of(a, batch, part, parts);
  for_heads([](const auto& head) { head.start(); });
  for (size_t first = of.begin; first < of.end; first += row_keys) {
    const size_t tile = std::min(row_keys, of.end - first);
    const auto for_some = [&](size_t most, const auto& f) {
      for (size_t j = 0; j < tile; j += most)
        for_heads([&](const auto& head) { f(head, first + j, std::min(most, tile - j), j); });
    };
    for_some(rows_at_once<Arch>(a.keys, a.k_row),
             [&](const auto& head, size_t from, size_t some, size_t place) {
               head.multiply(from, some, place, copy);
             });
    for_heads([&](const auto& head) { head.weigh(modify, first, tile, first == of.begin); });
    for_some(rows_at_once<Arch>(a.keys, a.v_row),
             [&](const auto& head, size_t from, size_t some, size_t place) {
               head.add_values(from, some, place, copy);
             });
  }
  for_heads([&](const auto& head) { head.write(part, parts); });
}

} // namespace fovea::core::simd::detail
