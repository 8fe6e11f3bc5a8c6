#pragma once

#include <fovea/runtime/chat/value.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fovea::core::jinja {

struct node;
using node_ptr = std::unique_ptr<const node>; // null where an optional part is absent

/// A part of a template. What `parts`, `text` and `names` are is said for each kind.
struct node {
  enum class kind {
    // Expressions.
    constant,  // its value
    name,      // text
    list,      // its items
    tuple,     // its items
    dict,      // name, value, name, value, ...
    attribute, // of, by the text
    item,      // of, by
    slice,     // of, begin, end, step; each but the first may be absent
    call,      // what is called, arguments; their names, empty of one by its place
    filter,    // what it is applied to, arguments; the text is its name, the names as of a call
    test,      // the same
    unary,     // of one part; the text is -, + or not
    binary,    // of two; the text is the operator
    compare,   // the first and one for each operator; the names are the operators
    both,      // and
    either,    // or
    choice,    // condition, if so, otherwise (may be absent)
    capture,   // what a statement prints, as a text
    macro,     // defaults of the last parameters, body; the text is its name, the names are the parameters
    // Statements.
    block,    // statements
    print,    // expression
    branches, // condition, body, condition, body, ..., otherwise (may be absent)
    loop,     // target, iterated, condition (may be absent), body, if there was nothing (may be absent)
    set,      // target, expression; a target is a name, a tuple or an attribute of a namespace
    leave,    // break
    go_on     // continue
  };
  kind what;
  std::size_t line;
  std::string text = {};
  std::vector<node_ptr> parts = {};
  std::vector<std::string> names = {};
  value constant = {};
  std::size_t depth = 0; // how deep its parts nest
};

} // namespace fovea::core::jinja
