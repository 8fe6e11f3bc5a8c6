#pragma once

#include <fovea/weights/weight_format.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace generate_program {

/// A text as an argument of templates.
template <std::size_t size>
struct fixed_text {
  char text[size];
  constexpr fixed_text(const char (&from)[size]) { std::copy_n(from, size, text); }
  constexpr std::string_view view() const { return {text, size - 1}; }
};

/// A format's name as a program's name has it: integer_q8_0 is integer_products<q8_0>.
constexpr bool is_named(std::string_view format, std::string_view name) {
  constexpr std::string_view products = "integer_products<", integers = "integer_";
  if (!name.starts_with(integers)) return format == name;
  return format.starts_with(products) && format.ends_with('>') &&
         format.substr(products.size(), format.size() - products.size() - 1) == name.substr(integers.size());
}

namespace detail {

template <fixed_text name, class... formats>
struct format_search {
  static_assert(sizeof...(formats) > 0, "FOVEA_GENERATE: no format of weights has this name");
};
template <fixed_text name, class first, class... others>
struct format_search<name, first, others...> : format_search<name, others...> {};
template <fixed_text name, class first, class... others>
requires(is_named(fovea::core::traits_of<first>.name, name.view())) //
    struct format_search<name, first, others...> {
  using type = first;
};

template <fixed_text name, class... formats>
format_search<name, formats...> search(fovea::core::format_list<formats...>);

} // namespace detail

/// The format of that name.
template <fixed_text name>
using named_format = typename decltype(detail::search<name>(fovea::core::all_formats{}))::type;

} // namespace generate_program
