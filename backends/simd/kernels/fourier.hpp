#pragma once

// The Fourier transforms of frames of a waveform, and the way back (see frame_args in arguments.hpp). Each lane has a
// frame of its own. The transform is Stockham's, which needs no reordering (Cochran et al. 1967), of complex numbers;
// frames of an even number of samples are taken as half as many of these (Press et al. 2007, section 12.3).

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>
#include <fovea/backends/simd/kernels/transpose.hpp>

#include <cstddef>
#include <type_traits>

namespace fovea::core::simd {

namespace detail {

template <class Arch>
struct complex_vec {
  vec<Arch> re, im;

  friend complex_vec operator+(const complex_vec& a, const complex_vec& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend complex_vec operator-(const complex_vec& a, const complex_vec& b) {
    return {a.re - b.re, a.im - b.im};
  }
};

/// Number `i` of those whose parts lie next to each other.
template <class Arch>
inline complex_vec<Arch> complex_at(const float* x, size_t i) {
  const float* from = x + 2 * width<Arch> * i;
  return {vec<Arch>::load_aligned(from), vec<Arch>::load_aligned(from + width<Arch>)};
}
template <class Arch>
inline void put_complex(float* x, size_t i, const complex_vec<Arch>& value) {
  float* to = x + 2 * width<Arch> * i;
  value.re.store_aligned(to), value.im.store_aligned(to + width<Arch>);
}
template <class Arch>
inline vec<Arch> vector_at(const float* x, size_t i) {
  return vec<Arch>::load_aligned(x + width<Arch> * i);
}
template <class Arch>
inline void put_vector(float* x, size_t i, const vec<Arch>& value) {
  value.store_aligned(x + width<Arch> * i);
}

/// exp(-2 pi i place / points), the same in all lanes.
template <class Arch>
inline complex_vec<Arch> turn_at(const frame_args& a, size_t place) {
  return {vec<Arch>(a.turns[place]), -vec<Arch>(a.turns[a.points + place])};
}
template <class Arch>
inline complex_vec<Arch> times(const complex_vec<Arch>& a, const complex_vec<Arch>& b) {
  return {Arch::fma(a.re, b.re, -(a.im * b.im)), Arch::fma(a.re, b.im, a.im * b.re)};
}
/// a - i b, and a + i b.
template <class Arch>
inline complex_vec<Arch> less_i(const complex_vec<Arch>& a, const complex_vec<Arch>& b) {
  return {a.re + b.im, a.im - b.re};
}
template <class Arch>
inline complex_vec<Arch> plus_i(const complex_vec<Arch>& a, const complex_vec<Arch>& b) {
  return {a.re - b.im, a.im + b.re};
}
template <class Arch>
inline complex_vec<Arch> scaled(const complex_vec<Arch>& a, float by) {
  return {a.re * vec<Arch>(by), a.im * vec<Arch>(by)};
}
/// a + by * b.
template <class Arch>
inline complex_vec<Arch> plus_scaled(const complex_vec<Arch>& a, const complex_vec<Arch>& b, float by) {
  return {Arch::fma(b.re, vec<Arch>(by), a.re), Arch::fma(b.im, vec<Arch>(by), a.im)};
}

/// The transforms of 2, 3, 4, 5 and 8 numbers, in place.
template <class Arch>
inline void transform_few(complex_vec<Arch> (&x)[2]) {
  const complex_vec<Arch> sum = x[0] + x[1];
  x[1] = x[0] - x[1], x[0] = sum;
}
template <class Arch>
inline void transform_few(complex_vec<Arch> (&x)[3]) {
  constexpr float half_root_of_3 = 0.86602540378443864676f;
  const complex_vec<Arch> sum = x[1] + x[2], difference = scaled(x[1] - x[2], half_root_of_3);
  const complex_vec<Arch> middle = plus_scaled(x[0], sum, -0.5f);
  x[0] = x[0] + sum, x[1] = less_i(middle, difference), x[2] = plus_i(middle, difference);
}
template <class Arch>
inline void transform_few(complex_vec<Arch> (&x)[4]) {
  const complex_vec<Arch> even = x[0] + x[2], odd = x[1] + x[3], far = x[0] - x[2], other = x[1] - x[3];
  x[0] = even + odd, x[1] = less_i(far, other), x[2] = even - odd, x[3] = plus_i(far, other);
}
template <class Arch>
inline void transform_few(complex_vec<Arch> (&x)[5]) {
  constexpr float c1 = 0.30901699437494742410f, c2 = -0.80901699437494742410f, s1 = 0.95105651629515357212f,
                  s2 = 0.58778525229247312917f;
  const complex_vec<Arch> a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
  const complex_vec<Arch> near = plus_scaled(plus_scaled(x[0], a, c1), b, c2),
                          far = plus_scaled(plus_scaled(x[0], a, c2), b, c1),
                          near_turn = plus_scaled(scaled(c, s1), d, s2),
                          far_turn = plus_scaled(scaled(c, s2), d, -s1);
  x[0] = x[0] + a + b;
  x[1] = less_i(near, near_turn), x[4] = plus_i(near, near_turn);
  x[2] = less_i(far, far_turn), x[3] = plus_i(far, far_turn);
}

template <class Arch>
inline void transform_few(complex_vec<Arch> (&x)[8]) {
  constexpr float half_root_of_2 = 0.70710678118654752440f;
  complex_vec<Arch> even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
  transform_few(even), transform_few(odd);
  const complex_vec<Arch>&one = odd[1], &three = odd[3];
  odd[1] = scaled<Arch>({one.re + one.im, one.im - one.re}, half_root_of_2);
  odd[3] = scaled<Arch>({three.im - three.re, three.re + three.im}, half_root_of_2);
  odd[3].im = -odd[3].im;
  odd[2] = {odd[2].im, -odd[2].re};
  for_constants<4>([&](auto k) { x[k] = even[k] + odd[k], x[k + 4] = even[k] - odd[k]; });
}

/// One pass of a transform: of each `count` numbers, `apart` transforms next to each other, those that lie count / radix
/// apart are transformed, turned and put next to each other.
struct transform_pass {
  size_t count, apart;
  size_t turn; // places in the table of turns from one of the `count` roots of 1 to the next
};

template <class Arch, size_t radix, bool is_last>
inline void run_pass(const frame_args& a, const transform_pass& pass, const float* x, float* y) {
  const size_t groups = pass.count / radix, apart = pass.apart;
  for (size_t p = 0; p < groups; ++p) {
    complex_vec<Arch> turns[radix];
    if constexpr (!is_last)
      for_constants<radix>([&](auto j) { turns[j] = turn_at<Arch>(a, p * j * pass.turn); });
    for (size_t q = 0; q < apart; ++q) {
      complex_vec<Arch> some[radix];
      for_constants<radix>([&](auto j) { some[j] = complex_at<Arch>(x, q + apart * (p + groups * j)); });
      transform_few<Arch>(some);
      for_constants<radix>([&](auto j) {
        constexpr bool stays = is_last || j == 0;
        put_complex<Arch>(y, q + apart * (radix * p + j), stays ? some[j] : times<Arch>(some[j], turns[j]));
      });
    }
  }
}

/// The same of any odd number, which leaves sums and differences in x.
template <class Arch>
inline void run_odd_pass(const frame_args& a, const transform_pass& pass, size_t radix, float* x, float* y) {
  const size_t groups = pass.count / radix, apart = pass.apart, root = a.points / radix;
  for (size_t p = 0; p < groups; ++p)
    for (size_t q = 0; q < apart; ++q) {
      const auto from = [&](size_t j) { return q + apart * (p + groups * j); };
      const complex_vec<Arch> first = complex_at<Arch>(x, from(0));
      complex_vec<Arch> all = first;
      for (size_t j = 1; 2 * j < radix; ++j) {
        const complex_vec<Arch> one = complex_at<Arch>(x, from(j)),
                                other = complex_at<Arch>(x, from(radix - j));
        all = all + (one + other);
        put_complex<Arch>(x, from(j), one + other);
        put_complex<Arch>(x, from(radix - j), one - other);
      }
      put_complex<Arch>(y, q + apart * (radix * p), all);
      for (size_t k = 1; 2 * k < radix; ++k) {
        complex_vec<Arch> even = first, odd{vec<Arch>(0.0f), vec<Arch>(0.0f)};
        for (size_t j = 1, place = 0; 2 * j < radix; ++j) {
          place += k * root;
          if (place >= a.points) place -= a.points;
          even = plus_scaled(even, complex_at<Arch>(x, from(j)), a.turns[place]);
          odd = plus_scaled(odd, complex_at<Arch>(x, from(radix - j)), a.turns[a.points + place]);
        }
        put_complex<Arch>(y, q + apart * (radix * p + k),
                          times<Arch>(less_i(even, odd), turn_at<Arch>(a, p * k * pass.turn)));
        put_complex<Arch>(y, q + apart * (radix * p + radix - k),
                          times<Arch>(plus_i(even, odd), turn_at<Arch>(a, p * (radix - k) * pass.turn)));
      }
    }
}

/// X[k] = sum over j of x[j] exp(-2 pi i j k / count), for a divisor of the points: where it lies, x or y. Both are
/// written.
template <class Arch>
inline float* transform(const frame_args& a, size_t count, float* x, float* y) {
  transform_pass pass{count, 1, a.points / count};
  while (pass.count > 1) {
    // Eight numbers take half of 32 registers; sixteen are two passes of four.
    const bool by_eights = Arch::registers >= 32 && pass.count % 8 == 0 && pass.count % 32 != 16;
    size_t radix = by_eights ? 8 : pass.count % 4 == 0 ? 4 : pass.count % 2 == 0 ? 2 : 3;
    while (pass.count % radix != 0) ++radix;
    const auto run = [&](auto few) {
      constexpr size_t r = decltype(few)::value;
      (pass.count == r ? run_pass<Arch, r, true> : run_pass<Arch, r, false>)(a, pass, x, y);
    };
    if (radix == 2)
      run(std::integral_constant<size_t, 2>{});
    else if (radix == 3)
      run(std::integral_constant<size_t, 3>{});
    else if (radix == 4)
      run(std::integral_constant<size_t, 4>{});
    else if (radix == 5)
      run(std::integral_constant<size_t, 5>{});
    else if (radix == 8)
      run(std::integral_constant<size_t, 8>{});
    else
      run_odd_pass<Arch>(a, pass, radix, x, y);
    pass = {pass.count / radix, pass.apart * radix, pass.turn * radix};
    float* const made = y;
    y = x, x = made;
  }
  return x;
}

inline size_t bins_of(const frame_args& a) { return a.points / 2 + 1; }
inline bool is_even(const frame_args& a) { return a.points % 2 == 0; }

/// Vectors of a buffer: the numbers of a transform, or the parts of a spectrum, in whole squares.
template <class Arch>
inline size_t frame_vectors(const frame_args& a) {
  return ceil_div(is_even(a) ? 2 * bins_of(a) : 2 * a.points, width<Arch>) * width<Arch>;
}

/// Calls f(whether all lanes have a frame) with a constant.
template <class Arch, class F>
inline void by_wholeness(size_t frames, const F& f) {
  frames == width<Arch> ? f(std::true_type{}) : f(std::false_type{});
}

/// Reads `count` numbers of each of `frames` rows, `row` floats apart, into the lanes of vectors: calls put(i, vector) for
/// number i of all, which `ready(vector, i, lanes)` has made of numbers i, i + 1, ... of a row. Lanes beyond the last row
/// have what that has.
template <class Arch, class Ready, class Put>
inline void read_rows(const float* x, size_t row, size_t frames, size_t count, const Ready& ready,
                      const Put& put) {
  by_wholeness<Arch>(frames, [&](auto all) {
    for_vectors<Arch>(count, [&](size_t i, auto lanes) {
      vec<Arch> square[width<Arch>];
      for_constants<width<Arch>>([&](auto l) {
        const size_t at = all || l < frames ? l : frames - 1;
        square[l] = ready(lanes.load(x + at * row + i), i, lanes);
      });
      transpose<Arch>(square);
      for_constants<width<Arch>>([&](auto j) {
        if (std::is_same_v<decltype(lanes), all_lanes<Arch>> || i + j < count) put(i + j, square[j]);
      });
    });
  });
}

/// The way back: number i of the rows lies in the lanes of vector i of x, which has whole squares.
template <class Arch>
inline void write_rows(const float* x, size_t count, float* out, size_t row, size_t frames) {
  by_wholeness<Arch>(frames, [&](auto all) {
    for_vectors<Arch>(count, [&](size_t i, auto lanes) {
      vec<Arch> square[width<Arch>];
      for_constants<width<Arch>>([&](auto j) { square[j] = vector_at<Arch>(x, i + j); });
      transpose<Arch>(square);
      for_constants<width<Arch>>([&](auto l) {
        if (all || l < frames) lanes.store(out + l * row + i, square[l]);
      });
    });
  });
}

/// The samples of up to a vector's frames from x on, windowed, as the numbers of a transform.
template <class Arch>
inline void load_frames(const frame_args& a, const float* x, size_t frames, float* out) {
  const size_t stride = is_even(a) ? 1 : 2;
  const vec<Arch> zero(0.0f);
  for (size_t i = 0; i < a.points; ++i) {
    if (i < a.first || i >= a.first + a.width) put_vector<Arch>(out, stride * i, zero);
    if (stride == 2) put_vector<Arch>(out, 2 * i + 1, zero);
  }
  read_rows<Arch>(
      x, a.hop, frames, a.width,
      [&](const vec<Arch>& samples, size_t i, auto lanes) { return samples * lanes.load(a.window + i); },
      [&](size_t n, const vec<Arch>& samples) { put_vector<Arch>(out, stride * (a.first + n), samples); });
}

/// The transform of real numbers from that of half as many complex ones, or of as many: the real parts of the bins, and
/// behind them the imaginary ones.
template <class Arch>
inline void split_spectrum(const frame_args& a, const float* z, float* out) {
  const size_t bins = bins_of(a), half = a.points / 2;
  const auto put = [&](size_t k, const complex_vec<Arch>& x) {
    put_vector<Arch>(out, k, x.re), put_vector<Arch>(out, bins + k, x.im);
  };
  if (!is_even(a)) {
    for (size_t k = 0; k < bins; ++k) put(k, complex_at<Arch>(z, k));
    return;
  }
  for (size_t k = 0; 2 * k <= half; ++k) {
    const complex_vec<Arch> one = complex_at<Arch>(z, k), other = complex_at<Arch>(z, k == 0 ? 0 : half - k);
    const complex_vec<Arch> even = scaled<Arch>({one.re + other.re, one.im - other.im}, 0.5f),
                            odd = scaled<Arch>({one.im + other.im, other.re - one.re}, 0.5f);
    const complex_vec<Arch> turned = times<Arch>(odd, turn_at<Arch>(a, k)), far = even - turned;
    put(k, even + turned);
    put(half - k, {far.re, -far.im});
  }
}

/// The numbers whose transform has the samples of such parts: imaginary parts first, for the transform is then the
/// inverse one.
template <class Arch>
inline void join_spectrum(const frame_args& a, const float* parts, float* z) {
  const size_t bins = bins_of(a), half = a.points / 2;
  const auto part = [&](size_t k) -> complex_vec<Arch> {
    return {vector_at<Arch>(parts, k), vector_at<Arch>(parts, bins + k)};
  };
  const auto put = [&](size_t k, const vec<Arch>& re, const vec<Arch>& im) {
    put_complex<Arch>(z, k, {im, re});
  };
  const vec<Arch> zero(0.0f);
  if (!is_even(a)) {
    for (size_t k = 0; k < a.points; ++k) {
      const complex_vec<Arch> x = k < bins ? part(k) : complex_vec<Arch>{zero, zero};
      put(k, x.re, x.im);
    }
    return;
  }
  const vec<Arch> lowest = part(0).re, highest = part(half).re;
  put(0, lowest + highest, lowest - highest);
  for (size_t k = 1; 2 * k <= half; ++k) {
    const complex_vec<Arch> one = scaled(part(k), 0.5f), other = scaled(part(half - k), 0.5f);
    const complex_vec<Arch> even{one.re + other.re, one.im - other.im},
        odd{one.re - other.re, one.im + other.im};
    const complex_vec<Arch> turn = turn_at<Arch>(a, k);
    const complex_vec<Arch> turned = times<Arch>(odd, {turn.re, -turn.im});
    put(k, even.re - turned.im, even.im + turned.re);
    put(half - k, even.re + turned.im, turned.re - even.im);
  }
}

/// Frames that reach into a row.
inline size_t frames_of_row(const frame_args& a) { return ceil_div(a.width, a.hop); }

/// Rows of the result of a task: so many that whole vectors of frames reach into them, most of them into no others.
template <class Arch>
inline size_t rows_at_once(const frame_args& a) {
  const size_t shared = frames_of_row(a) - 1;
  return larger(4, ceil_div(4 * shared, width<Arch>)) * width<Arch> - shared;
}

/// Adds the windowed samples of a vector's frames to [begin, end) of the result's plane, the first of which has its
/// first sample at `at`. What meets in a sample is added in the order of the frames: the last samples go first.
template <class Arch>
inline void add_frames(const frame_args& a, const float* z, std::ptrdiff_t at, size_t frames, float* plane,
                       std::ptrdiff_t begin, std::ptrdiff_t end) {
  constexpr size_t lanes = width<Arch>;
  for (size_t i = ceil_div(a.width, lanes) * lanes; i > 0;) {
    i -= lanes;
    const size_t count = smaller(lanes, a.width - i);
    vec<Arch> square[lanes];
    for_constants<lanes>([&](auto j) {
      const size_t n = a.first + i + j;
      square[j] = j < count ? vector_at<Arch>(z, is_even(a) ? n ^ 1 : 2 * n + 1) * vec<Arch>(a.window[i + j])
                            : vec<Arch>(0.0f);
    });
    transpose<Arch>(square);
    for_constants<lanes>([&](auto l) {
      if (l >= frames) return;
      const std::ptrdiff_t to = at + static_cast<std::ptrdiff_t>(l * a.hop + i);
      if (to >= begin && to + static_cast<std::ptrdiff_t>(lanes) <= end && count == lanes)
        return Arch::store(plane + to, Arch::load(plane + to) + square[l]);
      alignas(64) float samples[lanes];
      square[l].store_aligned(samples);
      for (size_t j = 0; j < count; ++j)
        if (const std::ptrdiff_t place = to + static_cast<std::ptrdiff_t>(j); place >= begin && place < end)
          plane[place] += samples[j];
    });
  }
}

} // namespace detail

template <class Arch>
size_t frame_scratch(const frame_args& a) {
  return 2 * detail::frame_vectors<Arch>(a) * width<Arch>;
}

template <class Arch>
size_t stft_tasks(const frame_args& a) {
  return a.planes * detail::ceil_div(a.frames, width<Arch>);
}

template <class Arch>
void stft(const frame_args& a, size_t first, size_t last, float* scratch) {
  using namespace detail;
  const size_t blocks = ceil_div(a.frames, width<Arch>), values = 2 * bins_of(a);
  float* const other = scratch + frame_vectors<Arch>(a) * width<Arch>;
  for (; first < last; ++first) {
    const size_t plane = first / blocks, begin = first % blocks * width<Arch>,
                 frames = smaller(width<Arch>, a.frames - begin);
    load_frames<Arch>(a, a.x + plane * a.x_plane + begin * a.hop, frames, scratch);
    const float* numbers = transform<Arch>(a, is_even(a) ? a.points / 2 : a.points, scratch, other);
    float* const parts = numbers == scratch ? other : scratch;
    split_spectrum<Arch>(a, numbers, parts);
    write_rows<Arch>(parts, values, a.out + (plane * a.frames + begin) * values, values, frames);
  }
}

template <class Arch>
size_t stft_transposed_tasks(const frame_args& a) {
  return a.planes * detail::ceil_div(a.rows, detail::rows_at_once<Arch>(a));
}

template <class Arch>
void stft_transposed(const frame_args& a, size_t first, size_t last, float* scratch) {
  using namespace detail;
  const size_t at_once = rows_at_once<Arch>(a), blocks = ceil_div(a.rows, at_once), values = 2 * bins_of(a);
  float* const other = scratch + frame_vectors<Arch>(a) * width<Arch>;
  for (; first < last; ++first) {
    const size_t plane = first / blocks, row = first % blocks * at_once,
                 rows = smaller(at_once, a.rows - row);
    float* const out = a.out + plane * a.rows * a.hop;
    for_vectors<Arch>(rows * a.hop,
                      [&](size_t i, auto lanes) { lanes.store(out + row * a.hop + i, vec<Arch>(0.0f)); });
    const size_t reach = row + a.before, shared = frames_of_row(a) - 1, end = smaller(reach + rows, a.frames);
    for (size_t t = reach < shared ? 0 : reach - shared; t < end; t += width<Arch>) {
      const size_t frames = smaller(width<Arch>, end - t);
      read_rows<Arch>(
          a.x + plane * a.x_plane + t * values, values, frames, values,
          [](const vec<Arch>& parts, size_t, auto) { return parts; },
          [&](size_t k, const vec<Arch>& part) { put_vector<Arch>(scratch, k, part); });
      join_spectrum<Arch>(a, scratch, other);
      const float* numbers = transform<Arch>(a, is_even(a) ? a.points / 2 : a.points, other, scratch);
      const auto hop = static_cast<std::ptrdiff_t>(a.hop);
      add_frames<Arch>(
          a, numbers, (static_cast<std::ptrdiff_t>(t) - static_cast<std::ptrdiff_t>(a.before)) * hop, frames,
          out, static_cast<std::ptrdiff_t>(row) * hop, static_cast<std::ptrdiff_t>(row + rows) * hop);
    }
  }
}

} // namespace fovea::core::simd
