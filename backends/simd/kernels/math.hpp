#pragma once

// Functions of a vector of floats. Each docstring bounds the error in units in the last place (ulp) of the
// exact result, over every float unless a range is named; tests/backends/simd/math.cpp measures it. NaN gives
// NaN, and no argument overflows on the way to a finite result. What gates of small cells are
// made of is always inlined: a call would send every register through memory.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/dsl/op.hpp>

#include <cstddef>
#include <limits>

namespace fovea::core::simd::math {

namespace detail {

/// Adding this to |x| < 2^22 leaves round(x) in the low bits of the sum, on sets without a rounding
/// instruction too.
inline constexpr float to_integer = 12582912.0f; // 1.5 * 2^23

inline constexpr float log2_e = 1.44269504f;
inline constexpr float ln2 = 0.693147181f;
// The same in two parts, the first of 9 bits: its product with an exponent is exact without fused
// multiply-add.
inline constexpr float ln2_high = 0.693359375f;
inline constexpr float ln2_low = -2.12194440e-4f;

/// c[0] + c[1] x + c[2] x^2 + ... (Horner).
template <class Arch, std::size_t count>
inline vec<Arch> polynomial(const vec<Arch>& x, const float (&c)[count]) {
  vec<Arch> y(c[count - 1]);
  for (std::size_t i = count - 1; i-- > 0;) y = Arch::fma(y, x, vec<Arch>(c[i]));
  return y;
}

/// 2^n for an integer -127 <= n <= 127 that sits in the low bits of n + to_integer; 0 for -127.
template <class Arch>
[[gnu::always_inline]] inline vec<Arch> power_of_two(const vec<Arch>& shifted) {
  return Arch::from_bits((Arch::bits(shifted) + int_vec<Arch>(127)) << 23);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, given r^2: e^r from it is right to 4e-9.
template <class Arch>
[[gnu::always_inline]] inline vec<Arch> expm1_factor(const vec<Arch>& r, const vec<Arch>& squared) {
  // In pairs, since what waits for an exponential mostly waits for each operation of it (Estrin).
  using v = vec<Arch>;
  const v low = Arch::fma(r, v(1.666652011e-01f), v(4.999999341e-01f));
  const v high = Arch::fma(r, v(8.368780622e-03f), v(4.166839426e-02f));
  return Arch::fma(squared, Arch::fma(squared, v(1.381446475e-03f), high), low);
}
/// (e^r - 1) for |r| <= ln(2) / 2.
template <class Arch>
inline vec<Arch> expm1_reduced(const vec<Arch>& r) {
  const vec<Arch> squared = r * r;
  return Arch::fma(squared, expm1_factor<Arch>(r, squared), r);
}

/// log(1 + f) for sqrt(1/2) - 1 <= f <= sqrt(2) - 1 (Cephes, logf).
template <class Arch>
inline vec<Arch> log1p_reduced(const vec<Arch>& f) {
  constexpr float c[] = {3.3333331174e-1f,  -2.4999993993e-1f, 2.0000714765e-1f,
                         -1.6668057665e-1f, 1.4249322787e-1f,  -1.2420140846e-1f,
                         1.1676998740e-1f,  -1.1514610310e-1f, 7.0376836292e-2f};
  const vec<Arch> squared = f * f;
  return f + Arch::fma(squared * f, polynomial<Arch>(f, c), squared * vec<Arch>(-0.5f));
}

} // namespace detail

// min and max of these libraries return the second operand where one is NaN: x comes second to stay NaN.

/// max(0, x), exact.
template <class Arch>
inline vec<Arch> relu(const vec<Arch>& x) {
  return Arch::max(vec<Arch>(0.0f), x);
}

/// e^x within 1.1 ulp, denormal results included.
template <class Arch>
inline vec<Arch> exp(const vec<Arch>& x) {
  using v = vec<Arch>;
  using namespace detail;
  const v bounded = Arch::max(v(-104.5f), Arch::min(v(89.5f), x));
  const v n = Arch::fma(bounded, v(log2_e), v(to_integer)) - v(to_integer);
  const v r = Arch::fma(n, v(-ln2_low), Arch::fma(n, v(-ln2_high), bounded));
  // 2^n in two factors, of which each is a normal float
  const v half_shifted = Arch::fma(n, v(0.5f), v(to_integer));
  const v rest = n - (half_shifted - v(to_integer));
  return (v(1.0f) + expm1_reduced<Arch>(r)) * power_of_two<Arch>(half_shifted) *
         power_of_two<Arch>(rest + v(to_integer));
}

/// 2^t for t <= 0 within 2.5 ulp; 0 below t = -126.5, where the result is denormal. The weights of softmax.
template <class Arch>
inline vec<Arch> exp2_of_nonpositive(const vec<Arch>& t) {
  using v = vec<Arch>;
  constexpr float c[] = {6.931469764e-01f, 2.402224046e-01f, 5.550735042e-02f, 9.671619229e-03f,
                         1.326458752e-03f};
  const v bounded = Arch::max(v(-127.0f), t);
  const v shifted = bounded + v(detail::to_integer);
  const v r = bounded - (shifted - v(detail::to_integer));
  return Arch::fma(r, detail::polynomial<Arch>(r, c), v(1.0f)) * detail::power_of_two<Arch>(shifted);
}

/// e^x for x <= 0 within 2 ulp; 0 below x = -87.6, where the result is denormal.
template <class Arch>
inline vec<Arch> exp_of_nonpositive(const vec<Arch>& x) {
  using v = vec<Arch>;
  using namespace detail;
  const v bounded = Arch::max(v(-88.0f), x);
  const v shifted = Arch::fma(bounded, v(log2_e), v(to_integer));
  const v n = shifted - v(to_integer);
  const v r = Arch::fma(n, v(-ln2_low), Arch::fma(n, v(-ln2_high), bounded));
  return (v(1.0f) + expm1_reduced<Arch>(r)) * power_of_two<Arch>(shifted);
}

/// log(x) within 1 ulp; -inf at 0, NaN below.
template <class Arch>
inline vec<Arch> log(const vec<Arch>& x) {
  return Arch::log(x);
}

/// sin(x) within 1.6 ulp, arguments of any size included.
template <class Arch>
inline vec<Arch> sin(const vec<Arch>& x) {
  return Arch::sin(x);
}

/// cos(x) within 1.7 ulp, arguments of any size included.
template <class Arch>
inline vec<Arch> cos(const vec<Arch>& x) {
  return Arch::cos(x);
}

/// tanh(x) within 6 ulp, 5 with fused multiply-add: x p(x^2) / q(x^2), fitted for the least relative error up
/// to 9.1 (2.4e-8). It takes half the operations of an exponential.
template <class Arch>
[[gnu::always_inline]] inline vec<Arch> tanh(const vec<Arch>& x) {
  using v = vec<Arch>;
  const v t = Arch::min(v(9.1f), Arch::abs(x)); // where p / q rounds to 1 or above
  const v z = t * t, squared = z * z;
  // In pairs (Estrin), numerator and denominator side by side.
  const v p = Arch::fma(
      t * squared, Arch::fma(squared, v(1.32428500e-8f), Arch::fma(z, v(2.05340804e-5f), v(3.49128953e-3f))),
      t * Arch::fma(z, v(1.33774990e-1f), v(1.0f)));
  const v q = Arch::fma(
      squared, Arch::fma(squared, v(7.73245851e-7f), Arch::fma(z, v(3.27841964e-4f), v(2.58609108e-2f))),
      Arch::fma(z, v(4.67108192e-1f), v(1.0f)));
  return Arch::copysign(Arch::min(v(1.0f), p / q), x);
}

/// 1 / (1 + e^-x) within 3.5 ulp; 0 below x = -88.3, where the result is denormal.
template <class Arch>
[[gnu::always_inline]] inline vec<Arch> sigmoid(const vec<Arch>& x) {
  using v = vec<Arch>;
  using namespace detail;
  const v least(-88.3f); // e^88.3 is a float, and its 2^n too
  const v bounded = Arch::max(least, Arch::min(-least, x));
  const v shifted = Arch::fma(bounded, v(-log2_e), v(to_integer));
  const v n = shifted - v(to_integer);
  const v r = Arch::fma(n, v(-ln2_low), Arch::fma(n, v(-ln2_high), -bounded)), squared = r * r;
  const v b = power_of_two<Arch>(shifted);
  // 1 + b e^r
  const v sum = Arch::fma(b * squared, expm1_factor<Arch>(r, squared), Arch::fma(b, r, v(1.0f) + b));
  return Arch::select(x < least, v(0.0f), v(1.0f)) / sum;
}

/// x sigmoid(x) (Elfwing et al. 2017) within 4 ulp above x = -87; below within 2^-120, and 0 from -88.3 on.
template <class Arch>
inline vec<Arch> silu(const vec<Arch>& x) {
  // below -200 the sigmoid is 0, and so is the product with -inf
  const vec<Arch> bounded = Arch::max(vec<Arch>(-200.0f), x);
  return bounded * math::sigmoid<Arch>(bounded);
}

/// log(1 + e^x) within 2.5 ulp, denormal results included.
template <class Arch>
inline vec<Arch> softplus(const vec<Arch>& x) {
  using v = vec<Arch>;
  // max(x, 0) + log1p(e), e = exp(-|x|) <= 1. Where 1 + e > sqrt(2), log1p(e) = log(2) + log(1 + (e - 1) /
  // 2).
  const v e = math::exp<Arch>(-Arch::abs(x));
  const auto large = e > v(0.41421356f);
  const v f = Arch::select(large, (e - v(1.0f)) * v(0.5f), e);
  const v log1p = detail::log1p_reduced<Arch>(f) + Arch::select(large, v(0.69314718f), v(0.0f));
  return Arch::max(v(0.0f), x) + log1p;
}

/// The error function within 2 ulp. Two fits, of erf(x) / x - 1 and of log(erfc(x)), as in N. Juffa's erff.
template <class Arch>
inline vec<Arch> erf(const vec<Arch>& x) {
  using v = vec<Arch>;
  constexpr float near[] = {1.28379166e-1f,  -3.76125336e-1f, 1.12819925e-1f,
                            -2.67681349e-2f, 4.99119423e-3f,  -5.96761703e-4f};
  constexpr float far[] = {-1.28717512e-1f, -6.34846687e-1f, -1.06777877e-1f, 2.42546219e-2f,
                           -3.88396438e-3f, 3.83197126e-4f,  -1.72853470e-5f};
  const v t = Arch::min(v(4.0f), Arch::abs(x)); // 1 - erf(4) is below half an ulp
  const v small = Arch::fma(detail::polynomial<Arch>(t * t, near), x, x);
  const v exponent = Arch::fma(detail::polynomial<Arch>(t, far), t, -t);
  const v large = v(1.0f) - exp2_of_nonpositive<Arch>(exponent * v(detail::log2_e));
  return Arch::select(t > v(0.927734375f), Arch::copysign(large, x), small);
}

/// x Phi(x), Phi the normal distribution function (Hendrycks and Gimpel 2016, the erf form), within 8 ulp,
/// within 5 above x = -2, or 5.4 without fused multiply-add; 0 below x = -13, where the result is next to or below
/// the smallest normal float.
template <class Arch>
inline vec<Arch> gelu(const vec<Arch>& x) {
  using v = vec<Arch>;
  using namespace detail;
  // max(x, 0) - a Phi(-a), a = |x|: nothing cancels. Phi(-a) = exp(-a^2 / 2) tail(a).
  const v a = Arch::min(v(13.28f), Arch::abs(x)); // there 2^n below is 0
  const v square = a * a;
  // -a^2 / 2 in steps of ln(2); 127 is what the exponent of a float adds
  const v to_exponent(to_integer + 127);
  const v shifted = Arch::fma(square, v(-0.5f * log2_e), to_exponent);
  const v n = shifted - to_exponent;
  // u = a^2 + 2 ln(2) n, and exp(-a^2 / 2) = 2^n exp(-u / 2). The rounding of a^2 would be magnified by the
  // exponential. 2 ln(2) has 17 bits here, for an exact product. Since n is (u - a^2) over it, what those
  // bits lack is a factor exp(-u c) exp(a^2 c), c = 1.03e-6, which both fits below include.
  const v step(1.38629150f);
  v u;
  if constexpr (Arch::fuses) {
    u = Arch::fma(a, a, n * step);
  } else { // a = high + (a - high) where high^2 is exact
    const v high = Arch::from_bits(Arch::bits(a) & int_vec<Arch>(~0xfff));
    u = Arch::fma(n, step, high * high) + (a - high) * (a + high);
  }
  // tail is p / q (Estrin's scheme in all three, since a caller waits for the chain of them), fitted for the
  // least relative error, 1.8e-8 up to a = 2 and 9e-8 up to 13. The exponential's is 3e-9. Each has a
  // factor of its own: those that put p, q and the product where a rounding is small, near x = -1.3 and -1.85.
  const v p = Arch::fma(a,
                        Arch::fma(square, Arch::fma(a, v(5.36742096e-4f), v(1.84635259e-2f)),
                                  Arch::fma(a, v(1.31883636e-1f), v(4.16309685e-1f))),
                        v(0.640625f));
  const v q = Arch::fma(
      a,
      Arch::fma(square,
                Arch::fma(square, v(2.63921544e-3f), Arch::fma(a, v(9.13397521e-2f), v(6.50422513e-1f))),
                Arch::fma(a, v(2.17183685f), v(3.65185022f))),
      v(2.52246094f));
  const v squared = u * u;
  const v low = Arch::fma(u, v(-4.10151370e-2f), v(2.46094793e-1f));
  const v high = Arch::fma(u, v(-5.15513821e-4f), v(5.12676220e-3f));
  const v exponential =
      v(1.96875f) + Arch::fma(squared, Arch::fma(squared, Arch::fma(squared, v(4.32558845e-5f), high), low),
                              u * v(-0.984377086f));
  const v power = Arch::from_bits(Arch::bits(shifted) << 23);
  return Arch::fma(-(a * power * (p / q)), exponential, Arch::max(v(0.0f), x));
}

/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel 2016, the tanh form) within 4 ulp
/// above x = -1; below, within 4 + 3 |exponent| ulp, exponent = 2 sqrt(2 / pi) (x + 0.044715 x^3); 0 where the
/// exponent is below -88.3.
template <class Arch>
inline vec<Arch> gelu_tanh(const vec<Arch>& x) {
  using v = vec<Arch>;
  const v bounded = Arch::max(v(-20.0f), x); // the sigmoid is 0 there
  const v exponent = bounded * Arch::fma(bounded * bounded, v(0.0713548163f), v(1.59576912f));
  return bounded * math::sigmoid<Arch>(exponent);
}

/// x^y within 0.51 ulp, by logarithm and exponential in double; special cases as std::pow has them.
template <class Arch>
inline vec<Arch> pow(const vec<Arch>& x, const vec<Arch>& y) {
  using v = vec<Arch>;
  const v magnitude = Arch::abs(x);
  v result = Arch::power(magnitude, y);
  const v half = y * v(0.5f);
  const auto whole = Arch::trunc(y) == y;
  const auto odd = whole && Arch::trunc(half) != half;
  const auto negative = Arch::bits(x) < int_vec<Arch>(0);
  const v signs = Arch::from_bits(
      Arch::select(negative, int_vec<Arch>(std::numeric_limits<std::int32_t>::min()), int_vec<Arch>(0)));
  result = Arch::select(odd, Arch::from_bits(Arch::bits(result) | Arch::bits(signs)), result);
  const auto undefined = x < v(0.0f) && magnitude != v(std::numeric_limits<float>::infinity()) && !whole;
  result = Arch::select(undefined, v(std::numeric_limits<float>::quiet_NaN()), result);
  const auto infinite = Arch::abs(y) == v(std::numeric_limits<float>::infinity());
  const auto one = y == v(0.0f) || x == v(1.0f) || (magnitude == v(1.0f) && infinite);
  return Arch::select(one, v(1.0f), result);
}

} // namespace fovea::core::simd::math

namespace fovea::core::simd {

/// The function of an elementwise operation of one float.
template <op kind, class Arch>
[[gnu::always_inline]] inline vec<Arch> function(const vec<Arch>& x) {
  if constexpr (kind == op::exp)
    return math::exp<Arch>(x);
  else if constexpr (kind == op::log)
    return math::log<Arch>(x);
  else if constexpr (kind == op::sqrt)
    return Arch::sqrt(x);
  else if constexpr (kind == op::relu)
    return math::relu<Arch>(x);
  else if constexpr (kind == op::gelu)
    return math::gelu<Arch>(x);
  else if constexpr (kind == op::gelu_tanh)
    return math::gelu_tanh<Arch>(x);
  else if constexpr (kind == op::silu)
    return math::silu<Arch>(x);
  else if constexpr (kind == op::sigmoid)
    return math::sigmoid<Arch>(x);
  else if constexpr (kind == op::tanh)
    return math::tanh<Arch>(x);
  else if constexpr (kind == op::softplus)
    return math::softplus<Arch>(x);
  else if constexpr (kind == op::erf)
    return math::erf<Arch>(x);
  else if constexpr (kind == op::sin)
    return math::sin<Arch>(x);
  else if constexpr (kind == op::cos)
    return math::cos<Arch>(x);
  else {
    static_assert(kind == op::floor);
    return Arch::floor(x);
  }
}

} // namespace fovea::core::simd
