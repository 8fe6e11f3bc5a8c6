#include <fovea/runtime/chat/functions.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/chat/text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace fovea::core::jinja {
namespace {

[[noreturn]] void refuse(std::string_view operation, const value& left, const value& right) {
  throw error("expected values that " + std::string(operation) + " joins; found " + described(left) +
              " and " + described(right));
}

[[noreturn]] void refuse_overflow() { throw error("expected whole numbers of 64 bits; found a greater one"); }

using whole = std::int64_t;

template <class number>
void check_divisor(number b) {
  if (b == 0) throw error("expected a divisor other than 0; found 0");
}

/// Rounded down, as Python does.
whole floor_divided(whole a, whole b) {
  check_divisor(b);
  if (a == std::numeric_limits<whole>::min() && b == -1) refuse_overflow();
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// What is left of that division.
whole remainder(whole a, whole b) {
  check_divisor(b);
  if (b == -1) return 0; // the quotient of the least number would overflow
  const whole rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

whole raised(whole base, whole exponent) {
  whole made = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(made, base, &made)) refuse_overflow();
    if (made == 0 || (made == 1 && base == 1)) break;
    if (made == 1 && base == -1) return exponent % 2 == 0 ? -1 : 1;
  }
  return made;
}

value of_wholes(std::string_view operation, whole a, whole b) {
  whole made = 0;
  if (operation == "/") {
    check_divisor(b);
    return static_cast<double>(a) / static_cast<double>(b);
  }
  if (operation == "//") return floor_divided(a, b);
  if (operation == "%") return remainder(a, b);
  if (operation == "**")
    return b < 0 ? value(std::pow(static_cast<double>(a), static_cast<double>(b))) : raised(a, b);
  const bool overflows = operation == "+"   ? __builtin_add_overflow(a, b, &made)
                         : operation == "-" ? __builtin_sub_overflow(a, b, &made)
                                            : __builtin_mul_overflow(a, b, &made);
  if (overflows) refuse_overflow();
  return made;
}

value of_reals(std::string_view operation, double a, double b) {
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*") return a * b;
  if (operation == "**") return std::pow(a, b);
  check_divisor(b);
  if (operation == "/") return a / b;
  if (operation == "//") return std::floor(a / b);
  return a - std::floor(a / b) * b;
}

/// A text or a list several times.
value repeated(const value& of, whole times) {
  const std::size_t count = times < 0 ? 0 : static_cast<std::size_t>(times);
  check_size(std::min(count, most_size + 1));
  check_size(count * of.size());
  if (const std::string* text = of.text()) {
    std::string made;
    for (std::size_t i = 0; i < count; ++i) made += *text;
    return made;
  }
  std::vector<value> made;
  for (std::size_t i = 0; i < count; ++i)
    made.insert(made.end(), of.items()->items.begin(), of.items()->items.end());
  return value::of_list(std::move(made), of.items()->is_tuple);
}

/// The byte of the character that is so many behind the one at a byte, or before it.
std::size_t moved(std::string_view text, std::size_t byte, whole by) {
  for (; by > 0; --by) byte += code_point_at(text, byte).bytes;
  for (; by < 0; ++by) byte = last_code_point(text.substr(0, byte));
  return byte;
}

bool is_sequence(const value& v) { return v.text() != nullptr || v.items() != nullptr; }

} // namespace

value unary(std::string_view operation, const value& of) {
  if (operation == "not") return !is_true(of);
  if (const double* real = of.real()) return operation == "-" ? -*real : *real;
  const whole number = of.integer("a number");
  return operation == "-" ? of_wholes("-", 0, number) : value(number);
}

value binary(std::string_view operation, const value& left, const value& right) {
  if (operation == "~") {
    const std::string a = printed(left), b = printed(right);
    check_size(a.size() + b.size());
    return a + b;
  }
  if (left.is_number() && right.is_number())
    return left.real() != nullptr || right.real() != nullptr
               ? of_reals(operation, left.number(), right.number())
               : of_wholes(operation, left.integer(), right.integer());
  if (operation == "+" && left.text() != nullptr && right.text() != nullptr) {
    check_size(left.size() + right.size());
    return *left.text() + *right.text();
  }
  if (const list* a = left.items(), *b = right.items();
      operation == "+" && a != nullptr && b != nullptr && a->is_tuple == b->is_tuple) {
    std::vector<value> made = a->items;
    made.insert(made.end(), b->items.begin(), b->items.end());
    return value::of_list(std::move(made), a->is_tuple);
  }
  if (operation == "*" && is_sequence(left) && right.is_number() && right.real() == nullptr)
    return repeated(left, right.integer());
  if (operation == "*" && is_sequence(right) && left.is_number() && left.real() == nullptr)
    return repeated(right, left.integer());
  refuse(operation, left, right);
}

bool compared(std::string_view operation, const value& left, const value& right) {
  if (operation == "==") return left == right;
  if (operation == "!=") return !(left == right);
  if (operation == "in") return contains(right, left);
  if (operation == "not in") return !contains(right, left);
  if (operation == "<") return is_less(left, right);
  if (operation == ">") return is_less(right, left);
  if (operation == "<=") return is_less(left, right) || left == right;
  return is_less(right, left) || left == right;
}

value attribute(const value& of, std::string_view name) {
  if (of.is_undefined())
    throw error("expected a value with the member " + in_quotes(name) + "; found " + described(of));
  if (name_space* names = of.names()) {
    for (const auto& [known, member] : names->members)
      if (known == name) return member;
  } else if (const value found = method(of, name); !found.is_undefined()) {
    return found;
  } else if (const dict* d = of.members()) {
    if (const value* member = d->find(name)) return *member;
  }
  return undefined{std::make_shared<const std::string>(name)};
}

value item(const value& of, const value& by) {
  if (const std::string* name = by.text()) {
    if (const dict* d = of.members())
      if (const value* member = d->find(*name)) return *member;
    return attribute(of, *name);
  }
  if (of.is_undefined()) throw error("expected a list, an object or a text; found " + described(of));
  const auto length_of = [&] { return static_cast<whole>(length(of)); };
  if (is_sequence(of) && by.is_number() && by.real() == nullptr) {
    const whole count = length_of(), asked = by.integer(), at = asked < 0 ? asked + count : asked;
    if (at >= 0 && at < count) {
      const auto place = static_cast<std::size_t>(at);
      if (of.items() != nullptr) return of.items()->items[place];
      const std::string& text = *of.text();
      const std::size_t byte = byte_at(text, place);
      return text.substr(byte, code_point_at(text, byte).bytes);
    }
  }
  return undefined{std::make_shared<const std::string>("the item " + described(by))};
}

value slice(const value& of, const value& begin, const value& end, const value& step) {
  if (!is_sequence(of)) throw error("expected a list or a text to take a part of; found " + described(of));
  const auto bound = [](const value& v, whole otherwise) {
    return v.is_undefined() || v.is_none() ? otherwise : v.integer("a whole number as a bound");
  };
  const whole by = bound(step, 1), count = static_cast<whole>(length(of));
  if (by == 0) throw error("expected a step other than 0; found 0");
  const whole least = by > 0 ? 0 : -1, most = by > 0 ? count : count - 1;
  const auto place = [&](const value& v, whole otherwise) {
    const whole at = bound(v, otherwise);
    if (v.is_undefined() || v.is_none()) return at;
    return std::clamp(at < 0 ? at + count : at, least, most);
  };
  const whole first = place(begin, by > 0 ? 0 : count - 1), last = place(end, by > 0 ? count : -1);
  // A step beyond the end would overflow.
  const whole stride = std::clamp(by, -count - 1, count + 1);
  const auto is_within = [&](whole at) { return by > 0 ? at < last : at > last; };
  if (const list* l = of.items()) {
    std::vector<value> made;
    for (whole at = first; is_within(at); at += stride)
      made.push_back(l->items[static_cast<std::size_t>(at)]);
    return value::of_list(std::move(made), l->is_tuple);
  }
  const std::string& text = *of.text();
  std::string made;
  std::size_t byte = is_within(first) ? byte_at(text, static_cast<std::size_t>(first)) : 0;
  for (whole at = first; is_within(at);) {
    made.append(text, byte, code_point_at(text, byte).bytes);
    at += stride;
    if (is_within(at)) byte = moved(text, byte, stride);
  }
  return made;
}

} // namespace fovea::core::jinja
