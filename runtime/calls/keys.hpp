#pragma once

#include <cstddef>
#include <utility>

namespace fovea::core {

/// A name as a template argument.
template <std::size_t n>
struct fixed_name {
  char text[n] = {};

  consteval fixed_name(const char (&name)[n]) {
    for (std::size_t i = 0; i < n; ++i) text[i] = name[i];
  }
};

/// An input with what it is given: "tokens"_in = ids. Keeps an lvalue by reference and moves an rvalue in; it
/// cannot be copied, so that a reference never outlives the call by accident.
template <fixed_name name, class E>
struct binding {
  E value; // a reference, or the moved value

  explicit constexpr binding(E&& given) : value(std::forward<E>(given)) {}
  binding(const binding&) = delete;
  binding& operator=(const binding&) = delete;
};

/// Whether an argument of a call is bound to an input.
template <class E>
inline constexpr bool is_binding = false;
template <fixed_name name, class E>
inline constexpr bool is_binding<binding<name, E>> = true;

template <fixed_name name>
struct input_key {
  template <class E>
  constexpr binding<name, E> operator=(E&& value) const {
    return binding<name, E>(std::forward<E>(value));
  }
};
template <fixed_name name>
struct output_key {};
template <fixed_name name>
struct parameter_key {};

inline namespace literals {

/// "tokens"_in = ids binds an input.
template <fixed_name name>
consteval input_key<name> operator""_in() {
  return {};
}
/// out["logits"_out] reads an output.
template <fixed_name name>
consteval output_key<name> operator""_out() {
  return {};
}
/// net.weights["h.attn.q.weight"_param][layer] reads a parameter.
template <fixed_name name>
consteval parameter_key<name> operator""_param() {
  return {};
}

} // namespace literals

} // namespace fovea::core

// What a user may name.
namespace fovea {
namespace literals = core::literals;
using namespace literals;
} // namespace fovea
