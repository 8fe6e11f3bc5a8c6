#pragma once

// Keys and values as a stream keeps them, in memory of floats (stream_state.hpp): rounded there, and read back as float32.

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/rounded_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace fovea::core::simd {

namespace detail {

inline const unsigned char* bytes_at(const float* from, size_t byte) {
  return reinterpret_cast<const unsigned char*>(from) + byte;
}
inline unsigned char* bytes_at(float* to, size_t byte) { return reinterpret_cast<unsigned char*>(to) + byte; }

/// How many rows ahead are fetched: those of one head lie apart, where the processor does not expect them.
inline constexpr size_t rows_ahead = 16;

/// Brings a key or value that is soon read to the cache.
inline void fetch(const float* from, size_t floats) {
  for (size_t i = 0; i < floats; i += 16) __builtin_prefetch(from + i);
}

/// f(vector, place, lanes) for the values of a row in 16 bits, which `load` reads: the last lanes from a copy, for nothing
/// behind them may be read.
template <class Arch, class Load, class F>
inline void for_narrow(const float* from, size_t columns, const Load& load, const F& f) {
  for_vectors<Arch>(columns, [&](size_t i, auto lanes) {
    if constexpr (std::is_same_v<decltype(lanes), all_lanes<Arch>>) {
      f(load(bytes_at(from, 2 * i)), i, lanes);
    } else {
      unsigned char last[2 * width<Arch>] = {};
      std::memcpy(last, bytes_at(from, 2 * i), 2 * lanes.count);
      f(load(last), i, lanes);
    }
  });
}

/// Rows of `columns` values, `stride` floats apart, side by side in float32. All ways of attention share its code.
template <class Arch>
[[gnu::noinline]] void read_kept(weight_format format, const float* from, size_t stride, size_t rows,
                                 size_t columns, float* to) {
  const auto for_rows = [&](const auto& f) {
    for (size_t row = 0; row < rows; ++row) {
      fetch(from + (row + rows_ahead) * stride, kept_floats(format, columns));
      f(from + row * stride, to + row * columns);
    }
  };
  const auto narrow = [&](const auto& load) {
    for_rows([&](const float* x, float* out) {
      for_narrow<Arch>(x, columns, load,
                       [&](const vec<Arch>& value, size_t i, auto lanes) { lanes.store(out + i, value); });
    });
  };
  if (format == format_named<f16>)
    narrow([](const unsigned char* x) { return Arch::load_half(x); });
  else if (format == format_named<bf16>)
    narrow([](const unsigned char* x) { return Arch::load_bfloat(x); });
  else if (format == format_named<q8_0>)
    for_rows([&](const float* x, float* out) {
      constexpr kept_piece piece = kept_piece_of(format_named<q8_0>);
      for (size_t i = 0; i < columns; i += piece.values, x += piece.floats, out += piece.values)
        for_constants<piece.values / width<Arch>>([&](auto v) {
          constexpr size_t first = v * width<Arch>;
          Arch::store(out + first, Arch::to_float(Arch::load_int8(bytes_at(x + 1, first))) * vec<Arch>(x[0]));
        });
    });
  else
    for_rows([&](const float* x, float* out) {
      for_vectors<Arch>(columns, [&](size_t i, auto lanes) { lanes.store(out + i, lanes.load(x + i)); });
    });
}

/// The nearest float16 in the low half of each lane; the largest one for what lies beyond it.
template <class Arch>
inline int_vec<Arch> halves_of(const vec<Arch>& x) {
  using integers = int_vec<Arch>;
  const vec<Arch> magnitude = Arch::select(x == x, Arch::min(Arch::abs(x), vec<Arch>(65504.0f)), x);
  const integers bits = Arch::bits(magnitude) & integers(0x7fffffff);
  const integers odd = bits >> 13 & integers(1);
  const integers normal = (bits - integers(112 << 23) + integers(0xfff) + odd) >> 13;
  // Beside a half, the last bits of a float32 are those of a float16 below its least normal one.
  const integers small = Arch::bits(magnitude + vec<Arch>(0.5f)) - Arch::bits(vec<Arch>(0.5f));
  const integers least_normal(113 << 23), not_a_number(0x7f800000);
  const integers rounded = Arch::select(bits < least_normal, small, normal);
  return Arch::select(not_a_number < bits, integers(0x7e00), rounded) |
         (Arch::bits(x) >> 16 & integers(0x8000));
}

/// Stores the low halves of the lanes.
template <class Arch>
inline void store_halves(const int_vec<Arch>& x, unsigned char* to) {
  alignas(64) std::int32_t lanes[width<Arch>];
  x.store_aligned(lanes);
  std::uint16_t narrow[width<Arch>];
  for (size_t i = 0; i < width<Arch>; ++i) narrow[i] = static_cast<std::uint16_t>(lanes[i]);
  std::memcpy(to, narrow, sizeof narrow);
}

/// A row in 16 bits, each vector of which `store` narrows.
template <class Arch, class Store>
inline void keep_narrow(const float* x, size_t columns, float* out, const Store& store) {
  for_vectors<Arch>(columns, [&](size_t i, auto lanes) {
    if constexpr (std::is_same_v<decltype(lanes), all_lanes<Arch>>) {
      store(lanes.load(x + i), bytes_at(out, 2 * i));
    } else {
      unsigned char last[2 * width<Arch>];
      store(lanes.load(x + i), last);
      std::memcpy(bytes_at(out, 2 * i), last, 2 * lanes.count);
    }
  });
}

} // namespace detail

template <class Arch>
size_t keep_tasks(const keep_args& a) {
  return a.rows;
}

template <class Arch>
void keep(const keep_args& a, size_t first, size_t last) {
  using namespace detail;
  for (; first < last; ++first) {
    const float* x = a.x + first * a.width;
    float* out = a.out + first * kept_floats(a.format, a.width);
    if (a.format == format_named<f16>) {
      keep_narrow<Arch>(x, a.width, out, [](const vec<Arch>& value, unsigned char* to) {
        store_halves<Arch>(halves_of<Arch>(value), to);
      });
    } else if (a.format == format_named<bf16>) {
      keep_narrow<Arch>(x, a.width, out,
                        [](const vec<Arch>& value, unsigned char* to) { Arch::store_bfloat(value, to); });
    } else {
      constexpr kept_piece piece = kept_piece_of(format_named<q8_0>);
      for (size_t g = 0; g < a.width / piece.values; ++g, out += piece.floats) {
        largest_magnitude<Arch> largest;
        for_group<Arch, piece.values>(x, a.width, g,
                                      [&](const vec<Arch>& value, size_t) { largest.see(value); });
        to_whole_numbers<Arch> whole(largest.value());
        out[0] = whole.scale;
        for_group<Arch, piece.values>(x, a.width, g, [&](const vec<Arch>& value, size_t place) {
          whole.round(value, bytes_at(out + 1, place));
        });
      }
    }
  }
}

} // namespace fovea::core::simd
