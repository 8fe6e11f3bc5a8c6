#pragma once

#include <array>
#include <cstdint>
#include <numbers>

#include <fovea/dsl/shape_words.hpp>

namespace fovea::core::detail {

/// 0, 1, ... as float32 [length, 1], or [length].
constexpr expr counted_down(expr x, int length) { return to_float(unsqueeze(range(x, length), 1)); }
constexpr expr counted(expr x, int length) { return to_float(range(x, length)); }

/// 2 pi `products` / size for whole products, as the angle nearest to 0: float32 holds that best.
constexpr expr angle_of(expr products, int size) {
  const expr rest = products - floor(products * (1.0 / size) + 0.5) * size;
  return rest * (2 * std::numbers::pi / size);
}

/// [..., rows * columns] -> [..., rows, columns], and back.
constexpr expr taken_apart(expr x, dim rows, dim columns) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  shape s = g.shape_of(x);
  s[-1] = g.intern(rows), s.push(g.intern(columns));
  return reshape_to(x, s, g.latest);
}
constexpr expr joined(expr x) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  shape s = g.shape_of(x);
  const std::uint16_t all = g.intern(x.size(-2) * x.size(-1));
  --s.rank, s[-1] = all;
  return reshape_to(x, s, g.latest);
}

struct complex_rows {
  expr real, imag;
};

/// The Fourier transform of real rows by two products in place of one (Cooley and Tukey 1965). With sample n = second
/// * i + j and frequency k = l + first * m, i and l below `first` and j below `second`,
///
///   X[k] = sum over j of w(j m / second) w(j l / size) (sum over i of x[n] w(i l / first)),  w(a) = exp(-2 pi i a).
struct two_step_transform {
  int first = 1, second = 1;

  constexpr int size() const { return first * second; }
  constexpr int bins() const { return size() / 2 + 1; }
  /// Values of m; the others are those of negative frequencies.
  constexpr int columns() const { return second / 2 + 1; }

  /// Real rows [..., size] -> [..., bins] each.
  constexpr complex_rows forward(expr x) const {
    const expr sums = matmul(inner_table(x), taken_apart(x, first, second)); // [..., 2 first, second]
    const expr real = slice(sums, -2, 0, first), imag = slice(sums, -2, first, 2 * first);
    const auto [c, s] = turns(x);
    const expr both = matmul(concat(-1, real * c + imag * s, imag * c - real * s), outer_table(x));
    const auto in_order = [&](int from) {
      return slice(joined(transpose(slice(both, -1, from, from + columns()))), -1, 0, bins());
    };
    return {in_order(0), in_order(columns())};
  }

  /// The sum over k of real[k] cos(2 pi n k / size) - imag[k] sin(2 pi n k / size): [..., bins] each -> [..., size].
  /// It is the transposed map, step by step.
  constexpr expr transposed(complex_rows x) const {
    const auto by_column = [&](expr part) {
      return transpose(taken_apart(pad(part, -1, 0, columns() * first - bins()), columns(), first));
    };
    const expr both =
        matmul(concat(-1, by_column(x.real), by_column(x.imag)), transpose(outer_table(x.real)));
    const expr real = slice(both, -1, 0, second), imag = slice(both, -1, second, 2 * second);
    const auto [c, s] = turns(x.real);
    const expr sums = concat(-2, real * c - imag * s, real * s + imag * c);
    return joined(matmul(transpose(inner_table(x.real)), sums));
  }

private:
  /// w(i l / first), its real parts above its imaginary ones: [2 first, first].
  constexpr expr inner_table(expr x) const {
    const expr angle = angle_of(counted_down(x, first) * counted(x, first), first);
    return concat(0, cos(angle), -sin(angle));
  }

  /// The cosines and sines of 2 pi j l / size, [first, second] each.
  constexpr std::array<expr, 2> turns(expr x) const {
    const expr angle = angle_of(counted_down(x, first) * counted(x, second), size());
    return {cos(angle), sin(angle)};
  }

  /// w(j m / second), from [real, imag] to [real, imag]: [2 second, 2 columns].
  constexpr expr outer_table(expr x) const {
    const expr angle = angle_of(counted_down(x, second) * counted(x, columns()), second);
    const expr c = cos(angle), s = sin(angle);
    return concat(0, concat(-1, c, -s), concat(-1, s, c));
  }
};

/// The steps of the factors of `size` that lie nearest to each other, where two steps are faster than a product of
/// `direct` multiply-adds a sample: measured, the step more costs as much as 400 of them. Else, and where x has no
/// axis to spare for the factors, or the size has none, a `first` of 1.
constexpr two_step_transform steps_of(expr x, int size, int direct) {
  int first = 1;
  for (int i = 2; i * i <= size; ++i)
    if (size % i == 0) first = i;
  const two_step_transform steps{first, size / first};
  return direct > 400 + steps.first + steps.second && x.rank() < shape::max_rank ? steps
                                                                                 : two_step_transform{};
}

} // namespace fovea::core::detail
