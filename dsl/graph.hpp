#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include <fovea/dsl/graph_data.hpp>

namespace fovea::core {

/// A model under construction: nodes in the order they were declared, which is an order in which they can
/// run. Of bounded size; outgrowing it is an error sentence like any other.
struct graph : graph_data {
  /// Declares an input of the given element type (f32 or i32) and shape. The axes of all inputs tell how
  /// large each symbol is: as an axis of its own, or in one term of an axis whose other symbols are known
  /// (4 * H, 2 * T + S - 1).
  template <class type>
  constexpr expr input(const char* name, std::initializer_list<dim> dims,
                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
    if (!error.empty()) return {this};
    const auto who = quoted{"input", name};
    constexpr bool is_float = std::is_same_v<type, f32>;
    if (!is_float && !std::is_same_v<type, i32>)
      return fail(217, at, who, ": expected f32 or i32 as the type of its elements");
    if (name[0] == '\0') return fail(1, at, "input: the name is empty");
    shape s;
    if (!make_shape(s, dims, at, who)) return {this};
    for (const dim& d : dims) // each symbol is a dim of the graph by itself
      for (int i = 0; i < d.atom_count; ++i)
        if (d.atoms[i].divisor == 0) intern(dim::symbol(d.atoms[i].symbol));
    for (int i = 0; i < input_count; ++i)
      if (same_text(inputs[i].name, name))
        return fail(2, at, who, ": there is an input of this name already, from ", nodes[inputs[i].node].at);
    if (input_count == max_inputs) return fail(3, at, who, ": a model has at most ", max_inputs, " inputs");
    const expr made = add({.kind = op::input,
                           .type = is_float ? element::f32 : element::i32,
                           .shape = s,
                           .settings = {.entry = {input_count}},
                           .at = at});
    inputs[input_count++] = {name, made.id};
    return made;
  }

  /// Declares an output.
  constexpr void output(const char* name, expr value, source_place at = {__builtin_FILE(), __builtin_LINE()});

  // What words are made of

  /// Keeps the first error: where it is, the sentence that the parts make, and its number, which no other
  /// call has. Where the parts give no scoped name, the current scope is said first.
  template <class... parts>
  constexpr expr fail(int number, source_place at, const parts&... words) {
    if (!error.empty()) return {this};
    say(number, error, call_site.line != 0 ? call_site : at, current_scope, words...);
    return {this};
  }
  /// Whether a word may use x: it exists, is of this graph, and is not left over from the body of a repeat.
  template <class word_type>
  constexpr bool usable(expr x, source_place at, const word_type& word) {
    if (!error.empty()) return false;
    latest = at;
    if (x.owner == nullptr) {
      fail(4, at, word, ": an operand is an empty expr, which stands for no value");
      return false;
    }
    if (x.owner != this) {
      fail(5, at, word, ": the operands belong to two different graphs");
      return false;
    }
    if (!x.valid()) return false;
    for (int region = current_region;; region = regions[region].parent) {
      if (nodes[x.id].region == region) return true;
      if (region == 0) break;
    }
    fail(6, at, word, ": an operand from ", nodes[x.id].at,
         " belongs to the body of a repeat or scan and cannot be used outside it; return it from the body");
    return false;
  }

  template <class... exprs>
  constexpr expr add(node made, exprs... from) {
    if (!error.empty()) return {this};
    if (call_site.line != 0) made.at = call_site.as(made.at.word);
    if (node_count == max_nodes)
      return fail(7, made.at, word_of(made), ": a model has at most ", max_nodes, " nodes");
    if (operand_count + static_cast<int>(sizeof...(from)) > max_operands)
      return fail(8, made.at, word_of(made), ": a model has at most ", max_operands, " operands");
    made.first_operand = operand_count;
    made.operand_count = static_cast<std::uint8_t>(sizeof...(from));
    ((operands[operand_count++] = from.id), ...);
    made.region = static_cast<std::uint8_t>(current_region);
    made.scope = static_cast<std::uint16_t>(current_scope);
    nodes[node_count] = made;
    return {this, node_count++};
  }
  /// Gives the newest node one more operand.
  constexpr void add_operand(expr x) {
    if (operand_count == max_operands) {
      fail(9, nodes[node_count - 1].at, word_of(nodes[node_count - 1]), ": a model has at most ",
           max_operands, " operands");
      return;
    }
    operands[operand_count++] = x.id;
    ++nodes[node_count - 1].operand_count;
  }

  constexpr std::uint16_t intern(std::int64_t number) {
    return intern_key(number, static_cast<std::uint64_t>(number));
  }
  constexpr std::uint16_t intern(const dim& d) {
    if (d.overflow) {
      fail(10, latest, dim_overflow);
      return 0;
    }
    if (d.is_number()) {
      const std::uint16_t made = intern(d.number());
      if (d.label[0] != '\0') label(made, d);
      return made;
    }
    for (int i = 0; i < form_count; ++i)
      if (forms[i] == d) return intern_key(-1 - i, static_cast<std::uint64_t>(i));
    if (form_count == max_forms) {
      fail(11, latest, "a model has at most ", max_forms, " different dims that are not numbers");
      return 0;
    }
    forms[form_count] = d;
    const int form = form_count++;
    return intern_key(-1 - form, static_cast<std::uint64_t>(form));
  }

  /// The shape of the dims that a user wrote; false after an error, which begins with `who`.
  template <class word_type>
  constexpr bool make_shape(shape& s, std::initializer_list<dim> dims, source_place at,
                            const word_type& who) {
    return make_shape(s, std::span(dims.begin(), dims.size()), at, who);
  }
  template <class word_type>
  constexpr bool make_shape(shape& s, std::span<const dim> dims, source_place at, const word_type& who) {
    latest = at;
    if (dims.size() > shape::max_rank) {
      fail(12, at, who, ": a shape has at most ", shape::max_rank, " axes, found ",
           static_cast<int>(dims.size()));
      return false;
    }
    int axis = 0;
    for (const dim& d : dims) {
      if (d.overflow) {
        fail(13, at, who, ": axis ", axis, ": ", dim_overflow);
        return false;
      }
      if (d.is_number() && (d.number() < 1 || d.number() > largest_dim)) {
        fail(14, at, who, ": axis ", axis, " is ", d, ", expected 1 to ", largest_dim);
        return false;
      }
      s.push(intern(d));
      ++axis;
    }
    return error.empty();
  }

  // Names

  constexpr int open_scope(const name_text& text, int index, source_place at,
                           detail::layer_numbers layers = {}) {
    if (scope_count == max_scopes) {
      fail(15, at, named{"scope", text}, ": a model has at most ", max_scopes, " scopes");
      return 0;
    }
    if (text.empty()) {
      fail(16, at, "a name is empty");
      return current_scope;
    }
    std::uint32_t hash = hash_of(current_scope, text);
    if (index != scope_name::no_index) {
      sentence number;
      if (index == scope_name::any_layer)
        number << ".*";
      else
        number << '.' << index;
      hash = hash_on(hash, number.text);
    }
    hash = hash_on(hash, ".");
    const std::int32_t copied = copy(text, at);
    scopes[scope_count] = {
        static_cast<std::uint16_t>(current_scope), copied < 0 ? text.text : "", copied, index, hash, layers};
    return scope_count++;
  }
  constexpr expr add_parameter(const name_text& text, shape s, core::init how, source_place at) {
    if (text.empty()) return fail(17, at, "parameter: the name is empty");
    if (how.scale != 0 && !how.possible())
      return fail(18, at, named{"parameter", text},
                  ": expected a finite number of at least 0 to begin with, found ", how.scale);
    const std::uint32_t hash = hash_of(current_scope, text);
    std::int32_t& bucket = parameter_buckets[hash % name_buckets];
    for (std::int32_t other = bucket - 1; other >= 0; other = parameters[other].next_of_hash)
      if (parameters[other].hash == hash) {
        sentence mine, theirs = parameter_name(other, false);
        write_scope(mine, current_scope, false);
        mine << text;
        if (same_text(mine.text, theirs.text) &&
            layers_meet({current_scope, current_region},
                        {parameters[other].scope, nodes[parameters[other].node].region}))
          return made_twice(text, s, parameters[other].node, at);
      }
    const expr made =
        add({.kind = op::parameter, .shape = s, .settings = {.entry = {parameter_count}}, .at = at});
    if (!made.valid()) return made;
    const std::int32_t copied = copy(text, at);
    parameters[parameter_count] = {.scope = static_cast<std::uint16_t>(current_scope),
                                   .text = copied < 0 ? text.text : "",
                                   .copied = copied,
                                   .node = made.id,
                                   .hash = hash,
                                   .next_of_hash = bucket - 1,
                                   .init = how};
    bucket = ++parameter_count;
    return made;
  }

  constexpr int add_function(const scalar_function& f, source_place at, const char* word) {
    if (f.overflow) {
      fail(19, at, word, ": a score or mask lambda records at most ", scalar_function::max_nodes,
           " operations on at most ", scalar_function::max_captures, " tables");
      return -1;
    }
    for (int i = 0; i < function_count; ++i)
      if (functions[i] == f) return i;
    if (function_count == max_functions) {
      fail(20, at, word, ": a model has at most ", max_functions, " different score and mask lambdas");
      return -1;
    }
    // Member by member, without captured_from: the finished graph lives elsewhere, and a copy of the whole
    // that is then cleared is no constant expression to g++ 12.
    scalar_function& kept = functions[function_count];
    for (int i = 0; i < f.count; ++i) kept.nodes[i] = f.nodes[i];
    for (int i = 0; i < f.capture_count; ++i) kept.captures[i] = f.captures[i];
    kept.count = f.count;
    kept.capture_count = f.capture_count;
    kept.looks_ahead = f.looks_ahead;
    return function_count++;
  }

  /// The number of a row of a table, which keeps each once; -1 where it is full.
  template <class row, std::size_t most>
  static constexpr int kept_once(row (&table)[most], int& count, const row& r) {
    for (int i = 0; i < count; ++i)
      if (table[i] == r) return i;
    if (count == static_cast<int>(most)) return -1;
    table[count] = r;
    return count++;
  }
  template <class word_type>
  constexpr int add_window(const sliding_window& w, source_place at, const word_type& who) {
    const int index = kept_once(windows, window_count, w);
    if (index < 0)
      fail(21, at, who, ": a model has at most ", max_windows,
           " different windows of convolution and pooling");
    return index;
  }
  constexpr int add_scaling(const rope_scaling& s, source_place at) {
    const int index = kept_once(scalings, scaling_count, s);
    if (index < 0) fail(352, at, "rope: a model has at most ", max_scalings, " different scalings");
    return index;
  }

  static constexpr const char* dim_overflow =
      "a dim's arithmetic is too long, exceeds 64 bits, or divides by a number below 1";
  /// The largest axis, whose places are counted in 32 bits; the most elements of a value, so that no count of
  /// bytes or of operations on a few of them overflows.
  static constexpr std::int64_t largest_dim = 2147483647, most_elements = std::int64_t{1} << 40;

private:
  /// Where a computed text begins among those of the graph; -1: it is a literal.
  constexpr std::int32_t copy(const name_text& name, source_place at) {
    if (!name.computed) return -1;
    if (name.size > max_text - 1 - text_size) {
      fail(321, at, "a model's computed names have at most ", max_text, " characters in all");
      return -1;
    }
    const std::int32_t from = text_size;
    for (std::int32_t i = 0; i < name.size; ++i) texts[text_size++] = name.text[i];
    texts[text_size++] = '\0';
    return from;
  }
  constexpr expr made_twice(const name_text& text, const shape& s, int first, source_place at) {
    const named who{"parameter", text};
    if (nodes[first].shape == s)
      return fail(
          22, at, who, " is made twice, first at ", nodes[first].at,
          "; to share it, keep the expr of the first and use it again; for one more, give it another name, ",
          "as in a scope(x, \"layer\", i)");
    return fail(23, at, who, " is made twice, here ", s, " and ", nodes[first].shape, " at ", nodes[first].at,
                "; a shared parameter is one expr of one shape");
  }

  constexpr void label(std::uint16_t d, const dim& from) {
    dim_label& known = dim_labels[d];
    if (known.text[0] == '\0')
      for (int i = 0; i < dim::max_name; ++i) known.text[i] = from.label[i];
    else if (__builtin_strcmp(known.text, from.label) != 0)
      known.ambiguous = true;
  }

  constexpr std::uint16_t intern_key(std::int64_t key, std::uint64_t hash) {
    std::uint16_t& bucket = dim_buckets[hash % hash_buckets];
    for (std::uint16_t d = bucket; d != 0; d = next_dim[d])
      if (dim_numbers[d] == key) return d;
    if (dim_count == max_dims) {
      fail(24, latest, "a model has at most ", max_dims, " different dims");
      return 0;
    }
    const auto made = static_cast<std::uint16_t>(dim_count++);
    dim_numbers[made] = key;
    next_dim[made] = bucket;
    bucket = made;
    return made;
  }
};

constexpr void graph::output(const char* name, expr value, source_place at) {
  const auto who = quoted{"output", name};
  if (!usable(value, at, who)) return;
  if (name[0] == '\0') {
    fail(25, at, "output: the name is empty");
    return;
  }
  for (int i = 0; i < output_count; ++i)
    if (same_text(outputs[i].name, name)) {
      fail(26, at, who, ": there is an output of this name already");
      return;
    }
  if (output_count == max_outputs) {
    fail(27, at, who, ": a model has at most ", max_outputs, " outputs");
    return;
  }
  if (const int region = nodes[value.id].region; region != 0) {
    if (regions[region].is_scan())
      fail(28, at, who, ": its value belongs to the body of a scan; return it from the body, as in ",
           "scan_step{value, next}, and declare the .output of the scan");
    else
      fail(29, at, who,
           ": its value belongs to the body of a repeat; carry it as one more value, and declare ",
           "what the repeat gives");
    return;
  }
  outputs[output_count++] = {name, value.id};
}

constexpr expr::operator bool() && {
  if (valid())
    owner->fail(30, owner->nodes[id].at,
                "a value is known only when the model runs, so C++ cannot choose by it; ",
                "write where(c, a, b) for c ? a : b");
  return false;
}
constexpr int expr::rank() const { return valid() ? owner->nodes[id].shape.rank : 0; }
constexpr dim expr::size(int axis, source_place at) const {
  if (!valid()) return 1;
  const shape& s = owner->nodes[id].shape;
  if (axis >= -s.rank && axis < s.rank) return owner->dim_of(s[axis]);
  owner->fail(31, at, "size: there is no axis ", axis, " in ", *this);
  return 1;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::expr, core::graph;
} // namespace fovea
