#pragma once

// Attention for one or a few queries (decoding): the keys are in the lanes of the scores, the columns in the
// lanes of the output. Keys and values are streamed once, tile by tile, for all queries and heads that read
// them.

#include <fovea/backends/simd/kernels/attention_scores.hpp>
#include <fovea/backends/simd/kernels/math.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/backends/simd/kernels/transpose.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace fovea::simd::detail {

inline constexpr size_t row_keys = 128; // keys in a tile; a multiple of every vector's width

/// Floats that a row keeps between tiles: q and out, padded to vectors, running maximum and sum.
template <class Arch>
inline size_t row_floats(const attention_args& a) {
  const size_t lanes = width<Arch>;
  return (a.key_width + lanes - 1) / lanes * lanes + (a.value_width + lanes - 1) / lanes * lanes + lanes;
}

template <class Arch>
inline size_t rows_scratch(const attention_args& a) {
  return row_keys + a.heads / a.kv_heads * a.queries * row_floats<Arch>(a);
}

/// The queries of all heads that read one key head.
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
        rows(scratch + row_keys), key_vectors(args.key_width / lanes),
        value_vectors(args.value_width / lanes), key_rest(args.key_width % lanes),
        value_rest(args.value_width % lanes) {}

  struct row {
    size_t head, query;
    float *q, *out, *base, *sum;
  };

  row row_at(size_t index) const {
    row r{kv_head * group + index / a.queries,
          index % a.queries,
          rows + index * row_floats<Arch>(a),
          nullptr,
          nullptr,
          nullptr};
    r.out = r.q + (key_vectors + (key_rest != 0)) * lanes;
    r.base = r.out + (value_vectors + (value_rest != 0)) * lanes;
    r.sum = r.base + 1;
    return r;
  }

  void start(const row& r) const {
    const float* from = a.q + batch * a.q_batch + r.query * a.q_row + r.head * a.key_width;
    for (size_t i = 0; i < key_vectors; ++i) store<Arch>(r.q + i * lanes, load<Arch>(from + i * lanes));
    if (key_rest != 0)
      store<Arch>(r.q + key_vectors * lanes, load_first<Arch>(from + key_vectors * lanes, key_rest));
    for (float* to = r.out; to < r.base; to += lanes) store<Arch>(to, v(0.0f));
    *r.base = lowest_score;
    *r.sum = 0;
  }

  /// The products of q with a vector's worth of keys, of which `count` exist.
  v dot_products(const float* q, const float* key, size_t count) const {
    v total[lanes];
    for (size_t lane = 0; lane < lanes; ++lane) {
      total[lane] = v(0.0f);
      if (lane >= count) continue;
      const float* k = key + lane * a.k_row;
      for (size_t i = 0; i < key_vectors; ++i)
        total[lane] = fma<Arch>(load<Arch>(k + i * lanes), load<Arch>(q + i * lanes), total[lane]);
      if (key_rest != 0)
        total[lane] = fma<Arch>(load_first<Arch>(k + key_vectors * lanes, key_rest),
                                load<Arch>(q + key_vectors * lanes), total[lane]);
    }
    transpose<Arch>(total);
    for (size_t half = lanes / 2; half > 0; half /= 2)
      for (size_t i = 0; i < half; ++i) total[i] += total[i + half];
    return total[0];
  }

  /// Scores of `tile` keys from `first`, -inf in the lanes after the last; returns the largest.
  template <class Modify>
  float score(const Modify& modify, const row& r, size_t first, size_t tile) const {
    const float* keys = a.k + batch * a.k_batch + kv_head * a.key_width;
    const float* bias = a.bias == nullptr ? nullptr
                                          : a.bias + batch * a.bias_batch + r.head * a.bias_head +
                                                r.query * a.bias_query + first;
    std::int32_t from = 0, until = static_cast<std::int32_t>(a.keys);
    if (a.lower != nullptr) {
      from = a.lower[batch * a.bounds_batch + r.query];
      until = std::min(until, a.upper[batch * a.bounds_batch + r.query]);
    }
    v largest(lowest_score);
    for (size_t j = 0; j < tile; j += lanes) {
      const size_t count = std::min(lanes, tile - j);
      v value = dot_products(r.q, keys + (first + j) * a.k_row, count) * v(a.scale);
      if (bias != nullptr) value += count == lanes ? load<Arch>(bias + j) : load_first<Arch>(bias + j, count);
      if (a.soft_cap != 0) value = soft_capped<Arch>(value, a.soft_cap);
      const lanes_of key = counting<Arch>(first + j);
      if constexpr (!std::is_same_v<Modify, unmodified>)
        value = modify(value, batch, r.head, lanes_of(static_cast<std::int32_t>(r.query)), key);
      value = value * v(math::detail::log2_e); // powers of two for those of e
      value = visible_only<Arch>(value, key, lanes_of(from), lanes_of(until));
      largest = xsimd::max(largest, value);
      store<Arch>(scores + j, value);
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
      const v weight = math::exp2_of_nonpositive<Arch>(load<Arch>(scores + j) - base);
      total += weight;
      store<Arch>(scores + j, weight);
    }
    const float rescale = math::exp2_of_nonpositive<Arch>(v(old) - base).get(0);
    *r.sum = *r.sum * rescale + reduce_add<Arch>(total);
    return rescale;
  }

  template <size_t vectors>
  void add_columns(const float* value, float* out, float rescale, size_t tile) const {
    v total[vectors];
    for (size_t i = 0; i < vectors; ++i) total[i] = load<Arch>(out + i * lanes) * v(rescale);
    for (size_t j = 0; j < tile; ++j, value += a.v_row) {
      const v weight(scores[j]);
      for (size_t i = 0; i < vectors; ++i)
        total[i] = fma<Arch>(weight, load<Arch>(value + i * lanes), total[i]);
    }
    for (size_t i = 0; i < vectors; ++i) store<Arch>(out + i * lanes, total[i]);
  }

  void add_values(const row& r, float rescale, size_t first, size_t tile) const {
    const float* value = a.v + batch * a.v_batch + first * a.v_row + kv_head * a.value_width;
    size_t i = 0;
    for (; i + 4 <= value_vectors; i += 4)
      add_columns<4>(value + i * lanes, r.out + i * lanes, rescale, tile);
    for (; i < value_vectors; ++i) add_columns<1>(value + i * lanes, r.out + i * lanes, rescale, tile);
    if (value_rest == 0) return;
    v total = load<Arch>(r.out + i * lanes) * v(rescale);
    value += i * lanes;
    for (size_t j = 0; j < tile; ++j, value += a.v_row)
      total = fma<Arch>(v(scores[j]), load_first<Arch>(value, value_rest), total);
    store<Arch>(r.out + i * lanes, total);
  }

  void write(const row& r) const {
    float* to = a.out + batch * a.out_batch + r.query * a.out_row + r.head * a.value_width;
    const v share = share_of<Arch>(v(*r.sum));
    for (size_t i = 0; i < value_vectors; ++i)
      store<Arch>(to + i * lanes, load<Arch>(r.out + i * lanes) * share);
    if (value_rest != 0)
      store_first<Arch>(to + value_vectors * lanes, load<Arch>(r.out + value_vectors * lanes) * share,
                        value_rest);
  }

  template <class Modify>
  void run(const Modify& modify) const {
    size_t begin = 0, end = a.keys;
    if (a.lower != nullptr) {
      const std::int32_t* lower = a.lower + batch * a.bounds_batch;
      const std::int32_t* upper = a.upper + batch * a.bounds_batch;
      std::int32_t least = lower[0], most = upper[0];
      for (size_t i = 1; i < a.queries; ++i) {
        least = std::min(least, lower[i]);
        most = std::max(most, upper[i]);
      }
      begin = static_cast<size_t>(std::max(0, least));
      end = std::min(end, static_cast<size_t>(std::max(0, most)));
    }
    const size_t count = group * a.queries;
    for (size_t i = 0; i < count; ++i) start(row_at(i));
    for (size_t first = begin; first < end; first += row_keys) {
      const size_t tile = std::min(row_keys, end - first);
      for (size_t i = 0; i < count; ++i) {
        const row r = row_at(i);
        const float rescale = weigh(r, score(modify, r, first, tile), tile);
        add_values(r, rescale, first, tile);
      }
    }
    for (size_t i = 0; i < count; ++i) write(row_at(i));
  }
};

} // namespace fovea::simd::detail
