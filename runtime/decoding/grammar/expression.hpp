#pragma once

#include <fovea/runtime/decoding/grammar/code_points.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core::grammar {

/// What a text may say, as a tree. A rule stands for an expression elsewhere, which may hold the rule itself.
struct expression {
  enum class kind { text, set, sequence, choice, repeat, rule };
  static constexpr std::size_t without_end = std::numeric_limits<std::size_t>::max();

  kind what = kind::sequence; // of no parts: nothing
  std::string text = {};      // its bytes
  code_points set = {};       // one of them
  std::vector<expression> parts = {};
  std::size_t least = 1, most = 1; // how often a `repeat` has its one part
  std::size_t rule = 0;
};

inline expression text_of(std::string bytes) {
  return {.what = expression::kind::text, .text = std::move(bytes)};
}
inline expression one_of(code_points set) { return {.what = expression::kind::set, .set = std::move(set)}; }
inline expression sequence(std::vector<expression> parts) { return {.parts = std::move(parts)}; }
inline expression choice(std::vector<expression> parts) {
  return {.what = expression::kind::choice, .parts = std::move(parts)};
}
inline expression repeat(expression part, std::size_t least, std::size_t most) {
  return {.what = expression::kind::repeat, .parts = {std::move(part)}, .least = least, .most = most};
}
inline expression optional(expression part) { return repeat(std::move(part), 0, 1); }
inline expression rule_of(std::size_t rule) { return {.what = expression::kind::rule, .rule = rule}; }

} // namespace fovea::core::grammar
