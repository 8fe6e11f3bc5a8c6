#pragma once

#include <cstddef>
#include <utility>

#include <fovea/dsl/sentence.hpp>

namespace fovea::core {

/// A piece of a sentence. Compilers print a character array as text only while it is short and ends in an
/// explicit NUL.
template <std::size_t n>
struct part {
  char text[n + 1];
};

/// Declared and never defined: asking for its size puts the sentence into the compiler's first error line.
template <part... sentence>
struct ill_formed;

namespace detail {

inline constexpr std::size_t part_size = 31;

template <std::size_t n>
constexpr part<n> part_of(const sentence& s, std::size_t first) {
  part<n> p{};
  for (std::size_t i = 0; i < n; ++i) p.text[i] = s.text[first + i];
  p.text[n] = '\0';
  return p;
}

/// The sentence as a type that may be named: for the template arguments of a call that is refused. `built`
/// has a static constexpr sentence `error`.
template <class built, class parts>
struct spelled;
template <class built, std::size_t... i>
struct spelled<built, std::index_sequence<i...>> {
  static constexpr std::size_t rest(std::size_t k) {
    const std::size_t left = built::error.size - k * part_size;
    return left < part_size ? left : part_size;
  }
  using type = ill_formed<part_of<rest(i)>(built::error, i* part_size)...>;
};
template <class built>
using sentence_of =
    typename spelled<built, std::make_index_sequence<(built::error.size + part_size - 1) / part_size>>::type;

/// Instantiating this with a sentence that is not empty is the error.
template <class built>
struct report_of {
#if __cplusplus > 202302L && defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
  struct message {
    constexpr const char* data() const { return built::error.text; }
    constexpr std::size_t size() const { return built::error.size; }
  };
  static_assert(built::error.empty(), message{});
#else
  char size[sizeof(sentence_of<built>)];
#endif
};
template <class built>
requires(built::error.empty()) struct report_of<built> {
};

} // namespace detail
} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::ill_formed;
} // namespace fovea
