#pragma once

#include <array>
#include <concepts>
#include <cstdint>

#include <fovea/dsl/op.hpp>
#include <fovea/dsl/sentence.hpp>

namespace fovea::core {

struct expr;
struct graph;

/// One operation of a recorded scalar function. Operands are earlier nodes of the same function.
struct scalar_node {
  op kind = op::constant;
  element type = element::f32;
  std::int8_t operand_count = 0;
  std::int8_t operands[4] = {};
  std::int8_t capture = 0; // op::table_at: which captured table
  double number = 0;       // op::constant

  friend constexpr bool operator==(const scalar_node& a, const scalar_node& b) {
    if (a.kind != b.kind || a.type != b.type || a.operand_count != b.operand_count ||
        a.capture != b.capture || a.number != b.number)
      return false;
    for (int i = 0; i < a.operand_count; ++i)
      if (a.operands[i] != b.operands[i]) return false;
    return true;
  }
};

/// A function of scalars, recorded by calling a user's lambda once: the score or mask of an attention.
/// Captured tables are expressions of the graph, read by `at`.
struct scalar_function {
  static constexpr int max_nodes = 48, max_captures = 4;

  scalar_node nodes[max_nodes] = {};
  int count = 0;
  graph* captured_from = nullptr;
  int captures[max_captures] = {};
  int capture_count = 0;
  bool overflow = false;
  bool looks_ahead = true;     // of a mask: whether a query may see later keys
  const char* fault = nullptr; // the first misuse while recording, as the end of a sentence

  constexpr bool empty() const { return count == 0; }
  /// Its last node, where there is one.
  constexpr std::size_t result() const { return static_cast<std::size_t>(count - 1); }
  constexpr element type() const { return nodes[result()].type; }

  friend constexpr bool operator==(const scalar_function& a, const scalar_function& b) {
    if (a.count != b.count || a.capture_count != b.capture_count || a.looks_ahead != b.looks_ahead)
      return false;
    for (int i = 0; i < a.count; ++i)
      if (!(a.nodes[i] == b.nodes[i])) return false;
    for (int i = 0; i < a.capture_count; ++i)
      if (a.captures[i] != b.captures[i]) return false;
    return true;
  }

  constexpr std::int8_t append(const scalar_node& node) {
    if (count == max_nodes) {
      overflow = true;
      return 0;
    }
    nodes[count] = node;
    return static_cast<std::int8_t>(count++);
  }
  constexpr int capture(graph* from, int id) {
    for (int i = 0; i < capture_count; ++i)
      if (captures[i] == id) return i;
    if (capture_count == max_captures) {
      overflow = true;
      return 0;
    }
    captured_from = from;
    captures[capture_count] = id;
    return capture_count++;
  }
  /// What a rule says of each node, in their order: rule(node, of), where of(k) is what it said of operand k.
  /// Each node is asked once, however many read it.
  template <class T, class F>
  constexpr std::array<T, max_nodes> each(const F& rule) const {
    std::array<T, max_nodes> said{};
    for (int i = 0; i < count; ++i) {
      const scalar_node& n = nodes[i];
      said[static_cast<std::size_t>(i)] =
          rule(n, [&](int k) -> const T& { return said[static_cast<std::size_t>(n.operands[k])]; });
    }
    return said;
  }
  constexpr std::size_t index_of(const scalar_node& n) const { return static_cast<std::size_t>(&n - nodes); }
  /// What a rule says of the result.
  template <class T, class F>
  constexpr T of_result(const F& rule) const {
    return each<T>(rule)[result()];
  }
  /// Appends another function; returns where its result lands.
  constexpr std::int8_t append(const scalar_function& other) {
    std::int8_t to[max_nodes] = {};
    for (int i = 0; i < other.count; ++i) {
      scalar_node node = other.nodes[i];
      for (int k = 0; k < node.operand_count; ++k) node.operands[k] = to[node.operands[k]];
      if (node.kind == op::table_at)
        node.capture = static_cast<std::int8_t>(capture(other.captured_from, other.captures[node.capture]));
      to[i] = append(node);
    }
    overflow |= other.overflow;
    if (fault == nullptr) fault = other.fault;
    return count == 0 ? std::int8_t{0} : static_cast<std::int8_t>(count - 1);
  }
};

/// A number inside a recorded function: what a score or mask lambda is given and returns. Integers
/// (positions, heads) divide with floor and mix with floats freely; `where` replaces `?:`.
struct scalar {
  scalar_function* function = nullptr;
  bool is_number =
      true; // not recorded (g++ 12 cannot compare `function` with null in every constant expression)
  std::int8_t id = 0;
  element type = element::f32;
  double number = 0; // where is_number

  constexpr scalar(scalar_function* f, std::int8_t node, element t)
      : function(f), is_number(false), id(node), type(t) {}
  template <std::integral integer>
  constexpr scalar(integer value)
      : type(std::same_as<integer, bool> ? element::boolean : element::i32),
        number(static_cast<double>(value)) {}
  template <std::floating_point real>
  constexpr scalar(real value) : number(static_cast<double>(value)) {}

  /// Of `c ? a : b` and `if (c)`: an error, for scalars are known only when the model runs.
  explicit constexpr operator bool() const {
    if (!is_number && function->fault == nullptr)
      function->fault = "chooses by c ? a : b or if; write where(c, a, b)";
    return is_number && number != 0;
  }
};

namespace detail {

/// The function that some of these are being recorded into.
template <class... scalars>
constexpr scalar_function* function_of(const scalars&... all) {
  scalar_function* f = nullptr;
  bool found = false;
  ((found || all.is_number ? found : (f = all.function, found = true)), ...);
  if (!found) impossible("arithmetic in a lambda needs at least one of the lambda's own arguments");
  return f;
}

constexpr void expect(scalar_function* f, bool holds, const char* fault) {
  if (!holds && f->fault == nullptr) f->fault = fault;
}

constexpr std::int8_t recorded(scalar_function* f, const scalar& x) {
  if (!x.is_number) return x.id;
  scalar_node node;
  node.kind = op::constant, node.type = x.type, node.number = x.number;
  return f->append(node);
}

constexpr element result_type(op kind, element a, element b) {
  switch (operation_of(kind).result) {
    case gives::boolean:
      return element::boolean;
    case gives::operands:
      return a == element::f32 || b == element::f32 ? element::f32 : element::i32;
    case gives::f32:
      break;
  }
  return element::f32;
}

/// Whether the operands suit the operation: booleans where it is logical, numbers elsewhere.
template <class... scalars>
constexpr void expect_operands(scalar_function* f, op kind, const scalars&... all) {
  const bool logical = kind == op::logical_and || kind == op::logical_or || kind == op::logical_not;
  if (logical)
    expect(f, ((all.type == element::boolean) && ...), "joins numbers by &&, || or !, which take booleans");
  else if (kind != op::to_float)
    expect(f, ((all.type != element::boolean) && ...), "computes with a boolean; use where(condition, a, b)");
}

constexpr scalar record(op kind, const scalar& a) {
  scalar_function* f = function_of(a);
  expect_operands(f, kind, a);
  if (kind == op::to_float && a.type == element::f32) return a;
  scalar_node node;
  node.kind = kind, node.type = result_type(kind, a.type, a.type), node.operand_count = 1;
  node.operands[0] = recorded(f, a);
  return {f, f->append(node), node.type};
}
constexpr scalar record(op kind, const scalar& a, const scalar& b) {
  scalar_function* f = function_of(a, b);
  expect_operands(f, kind, a, b);
  if (kind == op::divide) expect(f, !b.is_number || b.number != 0, "divides by 0");
  scalar_node node;
  node.kind = kind, node.type = result_type(kind, a.type, b.type), node.operand_count = 2;
  node.operands[0] = recorded(f, a);
  node.operands[1] = recorded(f, b);
  return {f, f->append(node), node.type};
}

// The last node of a function is its result.
constexpr void finish(scalar_function& f, const scalar& result) {
  if (result.is_number || result.id != f.count - 1) {
    const scalar_node last =
        result.is_number ? scalar_node{.kind = op::constant, .type = result.type, .number = result.number}
                         : f.nodes[result.id];
    f.append(last);
  }
}

} // namespace detail

constexpr scalar operator+(const scalar& a, const scalar& b) { return detail::record(op::add, a, b); }
constexpr scalar operator-(const scalar& a, const scalar& b) { return detail::record(op::subtract, a, b); }
constexpr scalar operator*(const scalar& a, const scalar& b) { return detail::record(op::multiply, a, b); }
constexpr scalar operator/(const scalar& a, const scalar& b) { return detail::record(op::divide, a, b); }
constexpr scalar& operator+=(scalar& a, const scalar& b) { return a = a + b; }
constexpr scalar& operator-=(scalar& a, const scalar& b) { return a = a - b; }
constexpr scalar& operator*=(scalar& a, const scalar& b) { return a = a * b; }
constexpr scalar& operator/=(scalar& a, const scalar& b) { return a = a / b; }
/// What is left of a division by floor, of integers and of floats: from 0 to b.
constexpr scalar operator%(const scalar& a, const scalar& b) {
  const scalar quotient = a / b;
  return a - (quotient.type == element::i32 ? quotient : detail::record(op::floor, quotient)) * b;
}
constexpr scalar operator-(const scalar& a) { return detail::record(op::negate, a); }
constexpr scalar operator<(const scalar& a, const scalar& b) { return detail::record(op::less, a, b); }
constexpr scalar operator<=(const scalar& a, const scalar& b) { return detail::record(op::less_equal, a, b); }
constexpr scalar operator>(const scalar& a, const scalar& b) { return detail::record(op::less, b, a); }
constexpr scalar operator>=(const scalar& a, const scalar& b) { return detail::record(op::less_equal, b, a); }
constexpr scalar operator==(const scalar& a, const scalar& b) { return detail::record(op::equal, a, b); }
constexpr scalar operator!=(const scalar& a, const scalar& b) {
  return detail::record(op::logical_not, a == b);
}
constexpr scalar operator&&(const scalar& a, const scalar& b) {
  return detail::record(op::logical_and, a, b);
}
constexpr scalar operator||(const scalar& a, const scalar& b) { return detail::record(op::logical_or, a, b); }
template <std::same_as<bool> truth>
constexpr scalar operator&&(const scalar& a, truth b) {
  return a && scalar(b);
}
template <std::same_as<bool> truth>
constexpr scalar operator&&(truth a, const scalar& b) {
  return scalar(a) && b;
}
template <std::same_as<bool> truth>
constexpr scalar operator||(const scalar& a, truth b) {
  return a || scalar(b);
}
template <std::same_as<bool> truth>
constexpr scalar operator||(truth a, const scalar& b) {
  return scalar(a) || b;
}
constexpr scalar operator&(const scalar& a, const scalar& b) { return a && b; }
constexpr scalar operator|(const scalar& a, const scalar& b) { return a || b; }
constexpr scalar operator!(const scalar& a) { return detail::record(op::logical_not, a); }

constexpr scalar where(const scalar& condition, const scalar& yes, const scalar& no) {
  scalar_function* f = detail::function_of(condition, yes, no);
  detail::expect(f, condition.type == element::boolean, "gives where a condition that is no boolean");
  detail::expect(f, (yes.type == element::boolean) == (no.type == element::boolean),
                 "gives where a boolean and a number to choose from; use to_float");
  scalar_node node;
  node.kind = op::where, node.operand_count = 3;
  node.type = yes.type == no.type ? yes.type : element::f32;
  node.operands[0] = detail::recorded(f, condition);
  node.operands[1] = detail::recorded(f, yes);
  node.operands[2] = detail::recorded(f, no);
  return {f, f->append(node), node.type};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::scalar, core::where;
} // namespace fovea
