#pragma once

#include <fovea/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fovea::core::jinja {

class value;
struct list;
struct dict;
struct name_space;
struct held_function;
struct arguments;
using function = std::function<value(const arguments&)>;

/// What a name means that nobody has set: an empty text, and false. Its name is for messages.
struct undefined {
  std::shared_ptr<const std::string> name;
};

/// A value of a template, as Python has it. What is large is shared and never changes, but for a namespace.
class value {
public:
  value() : held_(undefined()) {}
  value(undefined nothing) : held_(std::move(nothing)) {}
  value(std::nullptr_t) : held_(nullptr) {}
  value(bool truth) : held_(truth) {}
  value(std::int64_t number) : held_(number) {}
  value(double number) : held_(number) {}
  value(std::string text);
  value(std::string_view text) : value(std::string(text)) {}
  value(const char* text) : value(std::string(text)) {}
  value(function call);
  value(std::shared_ptr<name_space> names) : held_(std::move(names)) {}
  static value of_list(std::vector<value> items, bool is_tuple = false);
  static value of_dict(std::vector<std::pair<std::string, value>> members);
  /// A function that keeps a value, and counts as much as it does.
  static value of_method(function call, const value& kept);

  bool is_undefined() const { return std::holds_alternative<undefined>(held_); }
  bool is_none() const { return std::holds_alternative<std::nullptr_t>(held_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(held_); }
  /// Null where it is of another type.
  const bool* truth() const { return std::get_if<bool>(&held_); }
  const double* real() const { return std::get_if<double>(&held_); }
  const std::string* text() const { return pointed<const std::string>(); }
  const list* items() const { return pointed<const list>(); }
  const dict* members() const { return pointed<const dict>(); }
  name_space* names() const { return pointed<name_space>(); }
  const function* call() const;

  /// A whole number, true being 1. Throws fovea::error that says what was expected.
  std::int64_t integer(const char* expected = "a whole number") const;
  bool is_number() const { return truth() != nullptr || is_integer() || real() != nullptr; }
  double number() const;
  /// A text. Throws fovea::error where it is none.
  const std::string& text_of(const char* expected = "a text") const;
  const std::string& undefined_name() const;

  /// The bytes that it holds, and one for each part: what walks through it takes so much time.
  std::size_t size() const;
  std::size_t depth() const;

private:
  template <class type>
  type* pointed() const {
    const auto* held = std::get_if<std::shared_ptr<type>>(&held_);
    return held == nullptr ? nullptr : held->get();
  }

  std::variant<undefined, std::nullptr_t, bool, std::int64_t, double, std::shared_ptr<const std::string>,
               std::shared_ptr<const list>, std::shared_ptr<const dict>, std::shared_ptr<name_space>,
               std::shared_ptr<const held_function>>
      held_;
};

struct list {
  std::vector<value> items;
  bool is_tuple;
  std::size_t size, depth;
};

/// In the order in which its members came.
struct dict {
  std::vector<std::pair<std::string, value>> members;
  std::size_t size, depth;
  const value* find(std::string_view name) const;
};

struct held_function {
  function call;
  std::size_t size, depth;
};

/// What `namespace()` makes: the one value whose parts change.
struct name_space {
  std::vector<std::pair<std::string, value>> members;
  value& operator[](std::string_view name);
};

/// What a call, a filter or a test is given; a filter's first is what it is applied to.
struct arguments {
  std::vector<value> places;
  std::vector<std::pair<std::string, value>> named;
  /// That at a place or of this name; undefined where there is neither.
  value at(std::size_t place, std::string_view name) const;
  bool has(std::size_t place, std::string_view name) const;
};

/// No value holds more: what templates double again and again ends there.
constexpr std::size_t most_size = std::size_t{1} << 26;
constexpr std::size_t most_depth = 100;
/// A text comes apart into no more: each part becomes a value, which may take many times its bytes.
constexpr std::size_t most_parts = std::size_t{1} << 20;

/// Throws fovea::error where a text of so many bytes is more than a value holds.
void check_size(std::size_t size);
/// Throws fovea::error where a text comes apart into more than that.
void check_parts(std::size_t count);

bool is_true(const value& v);
bool operator==(const value& a, const value& b);
/// Whether a comes before b. Throws fovea::error where they have no order.
bool is_less(const value& a, const value& b);
/// Python's `in`.
bool contains(const value& whole, const value& part);
/// Where `part` begins in `text`, from a byte on; npos where it does not. Refuses to look for what would take hours.
std::size_t found(std::string_view text, std::string_view part, std::size_t from = 0);
/// The last place, looked for from the end, which rfind of LLVM's library does not do. Refused as found is.
std::size_t found_last(std::string_view text, std::string_view part);

/// What a `for` goes through: items, keys, characters. Throws fovea::error where there are none.
std::vector<value> iterated(const value& v);
/// How many of them there are.
std::size_t length(const value& v);

/// As `{{ v }}` prints it: Python's str.
std::string printed(const value& v);
std::string printed(double number);
/// A value as messages name it: "the text 'abc'", "a list".
std::string described(const value& v);

} // namespace fovea::core::jinja
