#pragma once

// What the elementwise operations do to whole vectors: in chains, behind the sums of products, in small scans
// and single positions, and in recorded lambdas.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/math.hpp>
#include <fovea/dsl/op.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace fovea::core::simd {

/// The vector a value of a given element type is computed in.
template <element type, class Arch>
using vector_of = std::conditional_t<type == element::f32, vec<Arch>,
                                     std::conditional_t<type == element::i32, int_vec<Arch>, mask_of<Arch>>>;

namespace detail {

/// f of each lane of integer vectors, for what has no instruction.
template <class Arch, class F>
inline int_vec<Arch> lane_by_lane(const int_vec<Arch>& a, const int_vec<Arch>& b, F f) {
  alignas(64) std::int32_t x[width<Arch>], y[width<Arch>];
  a.store_aligned(x);
  b.store_aligned(y);
  for (size_t i = 0; i < width<Arch>; ++i) x[i] = f(x[i], y[i]);
  return int_vec<Arch>::load_aligned(x);
}

inline std::int32_t floor_divide(std::int32_t a, std::int32_t b) {
  if (b == 0) return 0;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

template <class Arch>
inline vec<Arch> floats(const vec<Arch>& x) {
  return x;
}
template <class Arch>
inline vec<Arch> floats(const int_vec<Arch>& x) {
  return Arch::to_float(x);
}
template <class Arch>
inline vec<Arch> floats(const mask_of<Arch>& x) {
  return Arch::select(x, vec<Arch>(1.0f), vec<Arch>(0.0f));
}

} // namespace detail

/// One elementwise operation on whole vectors; `type` is the result's element type. Integers join floats as
/// floats.
template <op kind, element type, class Arch, class A>
[[gnu::always_inline]] inline vector_of<type, Arch> apply(const A& a) {
  if constexpr (kind == op::logical_not)
    return !a;
  else if constexpr (kind == op::to_float)
    return detail::floats<Arch>(a);
  else if constexpr (kind == op::stop_gradient || kind == op::dropout)
    return a;
  else if constexpr (kind == op::negate)
    return A(0) - a;
  else if constexpr (kind == op::abs)
    return Arch::abs(a);
  else
    return function<kind, Arch>(detail::floats<Arch>(a));
}

template <op kind, element type, class Arch, class A, class B>
[[gnu::always_inline]] inline vector_of<type, Arch> apply(const A& left, const B& right) {
  if constexpr (kind == op::logical_and)
    return left && right;
  else if constexpr (kind == op::logical_or)
    return left || right;
  else if constexpr (!std::is_same_v<A, B>)
    return apply<kind, type, Arch>(detail::floats<Arch>(left), detail::floats<Arch>(right));
  else if constexpr (kind == op::add)
    return left + right;
  else if constexpr (kind == op::subtract)
    return left - right;
  else if constexpr (kind == op::multiply)
    return left * right;
  else if constexpr (kind == op::maximum)
    return Arch::max(left, right);
  else if constexpr (kind == op::minimum)
    return Arch::min(left, right);
  else if constexpr (kind == op::less)
    return Arch::float_mask(left < right);
  else if constexpr (kind == op::less_equal)
    return Arch::float_mask(left <= right);
  else if constexpr (kind == op::equal)
    return Arch::float_mask(left == right);
  else if constexpr (kind == op::divide && type == element::i32)
    return detail::lane_by_lane<Arch>(left, right, detail::floor_divide);
  else if constexpr (kind == op::divide)
    return left / right;
  else {
    static_assert(kind == op::power);
    return math::pow<Arch>(detail::floats<Arch>(left), detail::floats<Arch>(right));
  }
}

/// One number in every lane.
template <element type, class Arch>
inline vector_of<type, Arch> constant(double number) {
  if constexpr (type == element::f32)
    return vec<Arch>(static_cast<float>(number));
  else if constexpr (type == element::i32)
    return int_vec<Arch>(static_cast<std::int32_t>(number));
  else
    return mask_of<Arch>(number != 0);
}

template <element type, class Arch, class C, class A, class B>
[[gnu::always_inline]] inline vector_of<type, Arch> choose(const C& condition, const A& yes, const B& no) {
  if constexpr (type == element::i32)
    return Arch::select(Arch::integer_mask(condition), yes, no);
  else if constexpr (type == element::boolean)
    return (condition && yes) || (!condition && no);
  else
    return Arch::select(condition, detail::floats<Arch>(yes), detail::floats<Arch>(no));
}

} // namespace fovea::core::simd
