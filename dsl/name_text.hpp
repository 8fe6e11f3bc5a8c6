#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/sentence.hpp>

namespace fovea::core {

/// A name as words take it: a literal, or characters that were computed (std::string, std::string_view, a
/// buffer), which the graph copies.
struct name_text {
  const char* text = "";
  std::int32_t size = 0;
  bool computed = false;

  constexpr name_text() = default;
  constexpr name_text(const char* literal) : text(literal) {
    while (text[size] != '\0') ++size;
  }
  template <std::size_t n>
  constexpr name_text(char (&characters)[n]) : name_text(static_cast<const char*>(characters)) {
    computed = true;
  }
  /// Of std::string and the like, whose headers a declaration need not include.
  template <class string>
  requires requires(const string& s) {
    {static_cast<const char*>(s.data())};
    {static_cast<std::size_t>(s.size())};
  }
  constexpr name_text(const string& s)
      : text(s.data()), size(static_cast<std::int32_t>(s.size())), computed(true) {}

  constexpr bool empty() const { return size == 0; }
};

constexpr sentence& operator<<(sentence& s, const name_text& name) {
  for (std::int32_t i = 0; i < name.size; ++i) s << name.text[i];
  return s;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::name_text;
} // namespace fovea
