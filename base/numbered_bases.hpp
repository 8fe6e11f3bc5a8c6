#pragma once

#include <cstddef>
#include <utility>

namespace fovea::core {

namespace detail {

template <template <std::size_t> class one, class numbers>
struct bases_of;
template <template <std::size_t> class one, std::size_t... i>
struct bases_of<one, std::index_sequence<i...>> : one<i>... {};

} // namespace detail

/// A class with the bases one<0>, ..., one<count - 1>, which hold values of different types. A base is found by a
/// cast: compilers do nothing else for it, where each std::get looks at all types of a std::tuple.
template <template <std::size_t> class one, std::size_t count>
struct numbered_bases : detail::bases_of<one, std::make_index_sequence<count>> {};

} // namespace fovea::core
