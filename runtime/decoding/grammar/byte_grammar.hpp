#pragma once

#include <fovea/runtime/decoding/grammar/expression.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core {

namespace grammar {

/// How many nodes a byte_grammar has at most.
constexpr std::size_t most_nodes = std::size_t{1} << 17;

/// Throws fovea::error, in which `name` says what they are made of, where there are more.
void check_nodes(std::size_t count, const std::string& name);

/// How many nodes a rule becomes at least, without its repetitions.
std::size_t least_nodes(const expression& of);

} // namespace grammar

/// Which texts there are, byte by byte: rules that call each other, as an automaton with a stack. Made by
/// regular_expression, json_schema and any_json_object.
class byte_grammar {
public:
  using place = std::uint32_t;
  /// A place in a rule, and what leads from there.
  struct node {
    enum class kind : unsigned char {
      end,   // of a rule
      bytes, // a byte from `first` to `last` leads to `next`
      split, // to `next` and to `other`, without a byte
      call,  // to the rule that begins at `other`, and from its end to `next`
    } what = kind::end;
    unsigned char first = 0, last = 0;
    place next = 0, other = 0;
  };
  static constexpr place end = 0;

  /// Begins with rule 0. Throws fovea::error, in which `name` says what it is made of, where no text ends, or it is too
  /// large.
  byte_grammar(const std::vector<grammar::expression>& rules, const std::string& name);

  place start() const { return start_; }
  const node& at(place which) const { return nodes_[which]; }
  /// Whether a rule ends from there on, whatever comes between.
  bool is_live(place which) const { return live_[which]; }

private:
  std::vector<node> nodes_;
  std::vector<bool> live_;
  place start_ = 0;
};

/// What a regular expression matches from its begin to its end (docs/grammars.md says which). Throws fovea::error that
/// names the byte, what was expected and what was found.
byte_grammar regular_expression(std::string_view text);

/// The texts in JSON that a schema in JSON allows (docs/grammars.md says which). Throws fovea::error that names the
/// keyword, where it stands, what was expected and what was found.
byte_grammar json_schema(std::string_view schema);

/// Any object in JSON.
byte_grammar any_json_object();

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::byte_grammar, core::any_json_object, core::json_schema, core::regular_expression;
} // namespace fovea
