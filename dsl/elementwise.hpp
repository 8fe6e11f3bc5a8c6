#pragma once

#include <concepts>
#include <type_traits>

#include <fovea/dsl/graph.hpp>
#include <fovea/dsl/scope.hpp>

namespace fovea::core {

/// An operand of an operator, with the place where it was written (operators cannot take defaulted
/// parameters): a value of the graph, or a plain number.
struct located {
  expr value;
  double number = 0;
  bool is_number = true;
  bool whole = false; // the number is an integer
  bool truth = false; // the number is true or false
  source_place at;

  constexpr located(expr x, source_place where = {__builtin_FILE(), __builtin_LINE()})
      : value(x), is_number(false), at(where) {}
  /// Also what stands for a value: the result of a scan or a recurrence.
  template <class result>
  requires(std::convertible_to<const result&, expr> && !std::same_as<result, expr>) constexpr located(
      const result& x, source_place where = {__builtin_FILE(), __builtin_LINE()})
      : located(static_cast<expr>(x), where) {}
  template <std::floating_point real>
  constexpr located(real x, source_place where = {__builtin_FILE(), __builtin_LINE()})
      : number(static_cast<double>(x)), at(where) {}
  template <std::integral integer>
  constexpr located(integer x, source_place where = {__builtin_FILE(), __builtin_LINE()})
      : number(static_cast<double>(x)), whole(true), truth(std::same_as<integer, bool>), at(where) {}
};

namespace detail {

/// The shape of two values joined element by element: trailing axes align; a missing leading axis and a
/// literal 1 stretch, a symbol never does. False where they do not fit.
constexpr bool broadcast(const graph& g, const shape& a, const shape& b, shape& joint) {
  joint.rank = a.rank > b.rank ? a.rank : b.rank;
  for (int i = 1; i <= joint.rank; ++i) {
    const bool in_a = i <= a.rank, in_b = i <= b.rank;
    if (in_a && in_b && a[-i] != b[-i]) {
      if (g.dim_numbers[b[-i]] == 1)
        joint[-i] = a[-i];
      else if (g.dim_numbers[a[-i]] == 1)
        joint[-i] = b[-i];
      else
        return false;
    } else {
      joint[-i] = in_a ? a[-i] : b[-i];
    }
  }
  return true;
}

constexpr expr number(graph& g, const located& x, element type) {
  return g.add({.kind = op::constant, .type = type, .settings = {.number = x.number}, .at = x.at});
}

/// Whether a word may compute with x element by element: it is usable, and no boolean.
constexpr bool has_numbers(expr x, source_place at, const char* word) {
  if (x.owner == nullptr || !x.owner->usable(x, at, word)) return false;
  if (x.owner->nodes[x.id].type != element::boolean) return true;
  x.owner->fail(56, at, word, ": expected numbers, found boolean ", x, "; use where(condition, a, b)");
  return false;
}

constexpr expr apply(op kind, source_place at, expr x) {
  const bool takes_booleans = kind == op::logical_not || kind == op::to_float;
  if (x.owner == nullptr || !x.owner->usable(x, at, word_of(kind)) ||
      !(takes_booleans || has_numbers(x, at, word_of(kind))))
    return {x.owner};
  graph& g = *x.owner;
  const node& from = g.nodes[x.id];
  if (kind == op::to_float && from.type == element::f32) return x;
  if (kind == op::logical_not && from.type != element::boolean)
    return g.fail(57, at, "!: expected a boolean, found ", name_of(from.type), " ", x);
  return g.add({.kind = kind, .type = result_type(kind, from.type, from.type), .shape = from.shape, .at = at},
               x);
}

/// Whether `few` are the first axes of `all`, as those of a mask of positions are, and one is left.
constexpr bool are_first_axes(const shape& few, const shape& all) {
  if (few.rank == 0 || few.rank + 1 != all.rank) return false;
  for (int axis = 0; axis < few.rank; ++axis)
    if (few[axis] != all[axis]) return false;
  return true;
}

/// The sentence on two values whose shapes do not broadcast.
constexpr expr cannot_join(graph& g, op kind, const char* word, source_place at, expr x, expr y) {
  const shape &a = g.shape_of(x), &b = g.shape_of(y);
  int i = 1;
  while (a[-i] == b[-i] || g.dim_numbers[a[-i]] == 1 || g.dim_numbers[b[-i]] == 1) ++i;
  const bool numbers = g.is_number(a[-i]) && g.is_number(b[-i]);
  constexpr const char* axes[] = {"last axis",           "last axis but one",  "last axis but two",
                                  "last axis but three", "last axis but four", "last axis but five"};
  const char* verb = kind == op::add        ? "add "
                     : kind == op::subtract ? "subtract "
                     : kind == op::multiply ? "multiply "
                     : kind == op::divide   ? "divide "
                                            : "";
  const bool has_verb = verb[0] != '\0';
  const auto fail = [&](const auto&... end) {
    return g.fail(58, at, "cannot ", has_verb ? verb : "join ", x, " and ", y, has_verb ? "" : " by ",
                  has_verb ? "" : word, ": the ", axes[i - 1], " is ", g.dim_of(a[-i]), " and ",
                  g.dim_of(b[-i]), end...);
  };
  if (are_first_axes(a, b))
    return fail("; unsqueeze(", x, ", ", int{a.rank}, ") sets an axis of 1 behind its own");
  if (are_first_axes(b, a))
    return fail("; unsqueeze(", y, ", ", int{b.rank}, ") sets an axis of 1 behind its own");
  return fail(numbers ? "; sizes must be equal, or one of them 1"
                      : "; a size known only at run time fits itself and 1");
}

/// `turned` is the word of an operator that is another one with its sides exchanged: a >= b is b <= a.
constexpr expr apply(op kind, located a, located b, const char* turned = nullptr) {
  graph* owner = a.value.owner != nullptr ? a.value.owner : b.value.owner;
  if (owner == nullptr) return {};
  graph& g = *owner;
  const source_place at = turned == nullptr ? a.at : a.at.as(turned);
  const char* word = turned == nullptr ? word_of(kind) : turned;
  if ((!a.is_number && !g.usable(a.value, at, word)) || (!b.is_number && !g.usable(b.value, at, word)))
    return {owner};
  const element type_a =
      a.is_number ? (a.whole ? g.nodes[b.value.id].type : element::f32) : g.nodes[a.value.id].type;
  const element type_b = b.is_number ? (b.whole ? type_a : element::f32) : g.nodes[b.value.id].type;
  const expr x = a.is_number ? number(g, a, type_a) : a.value,
             y = b.is_number ? number(g, b, type_b) : b.value;
  if (!x.valid() || !y.valid()) return {owner};
  const bool logical = kind == op::logical_and || kind == op::logical_or;
  if (logical != (type_a == element::boolean) || logical != (type_b == element::boolean))
    return g.fail(59, at, word, ": expected ", logical ? "booleans" : "numbers", " on both sides, found ",
                  name_of(type_a), " ", x, " and ", name_of(type_b), " ", y,
                  logical ? "" : "; use to_float or where");
  if (kind == op::divide && b.is_number && b.number == 0)
    return g.fail(60, at, word_of(kind), ": divides ", x, " by 0");
  shape joint;
  if (!broadcast(g, g.shape_of(x), g.shape_of(y), joint)) return cannot_join(g, kind, word, at, x, y);
  const node made{.kind = kind, .type = result_type(kind, type_a, type_b), .shape = joint, .at = at};
  return turned == nullptr ? g.add(made, x, y) : g.add(made, y, x);
}

/// What an elementwise word takes: a value of the graph or what stands for one, or a scalar of a recorded
/// lambda.
template <class T>
concept value = std::convertible_to<T, expr> || std::same_as<T, scalar>;
template <value T>
using result_of = std::conditional_t<std::same_as<T, scalar>, scalar, expr>;

template <value T>
constexpr result_of<T> unary(op kind, source_place at, T x) {
  if constexpr (std::same_as<T, scalar>)
    return record(kind, x);
  else
    return apply(kind, at, static_cast<expr>(x));
}

/// An expr that is no variable.
template <class T>
concept made_here = std::same_as<T, expr>;
template <class T>
constexpr located made_at(const T& x) {
  if constexpr (std::same_as<T, expr>)
    if (x.valid()) return located(x, x.owner->nodes[x.id].at);
  return located(x);
}

constexpr expr refuse_size(located a, const char* word, const dim& n) {
  if (a.value.owner == nullptr || !a.value.owner->usable(a.value, a.at, word)) return {a.value.owner};
  return a.value.owner->fail(61, a.at, word, ": ", n, " is a dim, and a dim is no value; mean(x, ", n,
                             ") divides a sum by its size");
}

} // namespace detail

/// Sum, difference, product, quotient, comparisons: element by element, shapes broadcast (see
/// detail::broadcast). Integers divide with floor. One side may be a plain number.
constexpr expr operator+(located a, located b) { return detail::apply(op::add, a, b); }
constexpr expr operator-(located a, located b) { return detail::apply(op::subtract, a, b); }
constexpr expr operator*(located a, located b) { return detail::apply(op::multiply, a, b); }
constexpr expr operator/(located a, located b) { return detail::apply(op::divide, a, b); }
// x += y names a new value x; the place is that of y.
constexpr expr& operator+=(expr& x, located y) { return x = located(x, y.at) + y; }
constexpr expr& operator-=(expr& x, located y) { return x = located(x, y.at) - y; }
constexpr expr& operator*=(expr& x, located y) { return x = located(x, y.at) * y; }
constexpr expr& operator/=(expr& x, located y) { return x = located(x, y.at) / y; }
// A dim is a name of a size, which no model computes with.
template <std::same_as<dim> size>
constexpr expr operator*(located a, const size& n) {
  return detail::refuse_size(a, "*", n);
}
template <std::same_as<dim> size>
constexpr expr operator/(located a, const size& n) {
  return detail::refuse_size(a, "/", n);
}
constexpr expr operator%(located a, located b) {
  const located& x = a.value.owner != nullptr ? a : b;
  if (x.value.owner == nullptr || !x.value.owner->usable(x.value, x.at, "%")) return {x.value.owner};
  return x.value.owner->fail(331, x.at,
                             "%: values have no remainder; x - y * floor(x / y) is that of x by y");
}
constexpr expr operator<(located a, located b) { return detail::apply(op::less, a, b); }
constexpr expr operator<=(located a, located b) { return detail::apply(op::less_equal, a, b); }
constexpr expr operator>(located a, located b) { return detail::apply(op::less, a, b, ">"); }
constexpr expr operator>=(located a, located b) { return detail::apply(op::less_equal, a, b, ">="); }
constexpr expr operator==(located a, located b) { return detail::apply(op::equal, a, b); }
constexpr expr operator!=(located a, located b) {
  a.at = a.at.as("!=");
  return detail::apply(op::logical_not, a.at, detail::apply(op::equal, a, b));
}
constexpr expr operator&&(located a, located b) { return detail::apply(op::logical_and, a, b); }
constexpr expr operator||(located a, located b) { return detail::apply(op::logical_or, a, b); }
constexpr expr operator!(located a) { return detail::apply(op::logical_not, a.at, a.value); }
// What was made on the spot converts to bool too, and must not. Its place is that of the word that made it.
template <class A, class B>
requires(detail::made_here<A> || detail::made_here<B>) constexpr expr operator&&(A&& a, B&& b) {
  return detail::made_at(a) && detail::made_at(b);
}
template <class A, class B>
requires(detail::made_here<A> || detail::made_here<B>) constexpr expr operator||(A&& a, B&& b) {
  return detail::made_at(a) || detail::made_at(b);
}
template <detail::made_here A>
constexpr expr operator!(A&& a) {
  return !detail::made_at(a);
}
constexpr expr operator-(located a) { return detail::apply(op::negate, a.at, a.value); }

// Each of these takes an expr, or a scalar inside a lambda, and gives the same shape.
template <detail::value T>
constexpr detail::result_of<T> exp(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::exp, at, x);
}
/// Natural logarithm.
template <detail::value T>
constexpr detail::result_of<T> log(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::log, at, x);
}
template <detail::value T>
constexpr detail::result_of<T> sqrt(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::sqrt, at, x);
}
template <detail::value T>
constexpr detail::result_of<T> abs(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::abs, at, x);
}
template <detail::value T>
constexpr detail::result_of<T> relu(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::relu, at, x);
}
/// x (1 + erf(x / sqrt 2)) / 2 (Hendrycks and Gimpel 2016).
template <detail::value T>
constexpr detail::result_of<T> gelu(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::gelu, at, x);
}
/// The tanh form: x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
template <detail::value T>
constexpr detail::result_of<T> gelu_tanh(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::gelu_tanh, at, x);
}
/// x sigmoid(x) (Elfwing et al. 2017).
template <detail::value T>
constexpr detail::result_of<T> silu(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::silu, at, x);
}
template <detail::value T>
constexpr detail::result_of<T> sigmoid(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::sigmoid, at, x);
}
template <detail::value T>
constexpr detail::result_of<T> tanh(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::tanh, at, x);
}
/// log(1 + exp(x)).
template <detail::value T>
constexpr detail::result_of<T> softplus(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::softplus, at, x);
}
template <detail::value T>
constexpr detail::result_of<T> erf(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::erf, at, x);
}
template <detail::value T>
constexpr detail::result_of<T> sin(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::sin, at, x);
}
template <detail::value T>
constexpr detail::result_of<T> cos(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::cos, at, x);
}
/// The largest whole number not above x.
template <detail::value T>
constexpr detail::result_of<T> floor(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::floor, at, x);
}
/// Integers as floats; true as 1, false as 0; floats as they are.
template <detail::value T>
constexpr detail::result_of<T> to_float(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::to_float, at, x);
}
/// x itself; no gradient passes.
template <detail::value T>
constexpr detail::result_of<T> stop_gradient(T x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::unary(op::stop_gradient, at, x);
}

/// x itself outside training; in training each element is zero with probability `rate`, else x / (1 - rate)
/// (Srivastava et al. 2014). With the rate 0 it is x, and makes no node.
constexpr expr dropout(expr x, double rate, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "dropout")) return {x.owner};
  if (!(rate >= 0 && rate < 1))
    return x.owner->fail(62, at, "dropout: expected a rate of at least 0 and below 1, found ", rate);
  const node& from = x.owner->nodes[x.id];
  if (from.type != element::f32)
    return x.owner->fail(63, at, "dropout: expected float32, found ", name_of(from.type), " ", x);
  if (rate == 0) return x;
  return x.owner->add(
      {.kind = op::dropout, .shape = from.shape, .settings = {.dropout = {.rate = rate}}, .at = at}, x);
}

/// a to the power b, a not negative.
constexpr expr pow(located a, located b) { return detail::apply(op::power, a, b); }
constexpr expr max(located a, located b) { return detail::apply(op::maximum, a, b); }
constexpr expr min(located a, located b) { return detail::apply(op::minimum, a, b); }
constexpr scalar pow(const scalar& a, const scalar& b) { return detail::record(op::power, a, b); }
constexpr scalar max(const scalar& a, const scalar& b) { return detail::record(op::maximum, a, b); }
constexpr scalar min(const scalar& a, const scalar& b) { return detail::record(op::minimum, a, b); }

/// yes where the condition holds, no elsewhere; the three broadcast. The two are numbers, or booleans.
constexpr expr where(expr condition, located yes, located no,
                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (condition.owner == nullptr || !condition.owner->usable(condition, at, "where"))
    return {condition.owner};
  graph& g = *condition.owner;
  if (g.nodes[condition.id].type != element::boolean)
    return g.fail(64, at, "where: expected a boolean condition, found ", name_of(g.nodes[condition.id].type),
                  " ", condition);
  if ((!yes.is_number && !g.usable(yes.value, at, "where")) ||
      (!no.is_number && !g.usable(no.value, at, "where")))
    return {&g};
  // A number takes the type of a number beside it, where that can hold it.
  const auto type_of = [&g](const located& x) {
    if (!x.is_number) return g.nodes[x.value.id].type;
    return x.truth ? element::boolean : x.whole ? element::i32 : element::f32;
  };
  const auto shape_of = [&g](const located& x) { return x.is_number ? shape{} : g.shape_of(x.value); };
  const bool truths = type_of(yes) == element::boolean;
  if (truths != (type_of(no) == element::boolean))
    return g.fail(65, at, "where: expected two choices of numbers or two of booleans, found ",
                  name_of(type_of(yes)), " ", shape_of(yes), " and ", name_of(type_of(no)), " ", shape_of(no),
                  "; use to_float");
  const element type = truths ? element::boolean : detail::result_type(op::add, type_of(yes), type_of(no));
  const expr x = yes.is_number ? detail::number(g, yes, type) : yes.value,
             y = no.is_number ? detail::number(g, no, type) : no.value;
  if (!x.valid() || !y.valid()) return {&g};
  shape branches, joint;
  if (!detail::broadcast(g, g.shape_of(x), g.shape_of(y), branches) ||
      !detail::broadcast(g, g.shape_of(condition), branches, joint))
    return g.fail(66, at, "where: the condition ", condition, " and the choices ", x, " and ", y,
                  " do not broadcast");
  return g.add({.kind = op::where, .type = type, .shape = joint, .at = at}, condition, x, y);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::abs, core::cos, core::dropout, core::erf, core::exp, core::floor, core::gelu, core::gelu_tanh,
    core::log, core::max, core::min, core::pow, core::relu, core::sigmoid, core::silu, core::sin,
    core::softplus, core::sqrt, core::stop_gradient, core::tanh, core::to_float, core::where;
} // namespace fovea
