#pragma once

#include <cstdint>
#include <type_traits>

#include <fovea/dsl/graph_tables.hpp>
#include <fovea/dsl/name_text.hpp>
#include <fovea/dsl/node.hpp>
#include <fovea/dsl/rope_scaling.hpp>
#include <fovea/dsl/scalar.hpp>
#include <fovea/dsl/sliding_window.hpp>

namespace fovea::core {

struct graph;

/// A value of a model under construction: a node of its graph. Copying it shares the value.
struct expr {
  graph* owner = nullptr;
  std::int32_t id = -1; // -1: none, or what is left after an error

  constexpr bool valid() const { return id >= 0; }
  /// Of `c ? a : b` and `if (c)`, where c is made on the spot: an error, for values are known only when the
  /// model runs.
  explicit constexpr operator bool() &&;
  constexpr int rank() const;
  /// The size of an axis; negative axes count from the last.
  constexpr dim size(int axis, source_place at = {__builtin_FILE(), __builtin_LINE()}) const;
};

/// What a model under construction holds, and how sentences tell of it.
struct graph_data {
  static constexpr int max_nodes = 4096, max_operands = 9216, max_dims = 256, max_forms = 64,
                       max_scopes = 4096;
  static constexpr int max_parameters = max_nodes, max_inputs = 16, max_outputs = 16, max_regions = 128,
                       max_functions = 12, max_windows = 64, max_scalings = 8, max_text = 16384;
  static constexpr int hash_buckets = 64, name_buckets = 1024;

  node nodes[max_nodes] = {};
  std::int32_t operands[max_operands] = {};
  std::int64_t dim_numbers[max_dims] = {}; // a dim's size if it is a number, else -1 - (its form)
  std::uint16_t next_dim[max_dims] = {};
  std::uint16_t dim_buckets[hash_buckets] = {};
  dim_label dim_labels[max_dims] = {};
  dim forms[max_forms] = {};
  scope_name scopes[max_scopes] = {};
  parameter_entry parameters[max_parameters] = {};
  std::int32_t parameter_buckets[name_buckets] = {};
  named_value inputs[max_inputs] = {}, outputs[max_outputs] = {};
  region_entry regions[max_regions] = {};
  scalar_function functions[max_functions] = {};
  sliding_window windows[max_windows] = {};
  rope_scaling scalings[max_scalings] = {};
  char texts[max_text] = {}; // of the names that are computed, each with its NUL

  int node_count = 0, operand_count = 0, dim_count = 1, form_count = 0, scope_count = 1, parameter_count = 0;
  int input_count = 0, output_count = 0, region_count = 1, function_count = 0, window_count = 0,
      scaling_count = 0, text_size = 0;
  bool is_part = false; // of a model, whose weights hold more
  int ranks = 1;        // that compute it together
  int current_scope = 0, current_region = 0;
  source_place latest;    // the newest word, for errors of the graph itself
  source_place call_site; // where set, errors are reported here: the user's call of a word built of others
  sentence error;

  /// A word with a name as the user gave it: input "tokens".
  struct quoted {
    const char* word;
    const char* name;
  };
  /// A word with the name that it was given in the current scope, for sentences: linear "h.*.attn.q". The
  /// name may be empty.
  struct named {
    const char* word;
    name_text name = {};
  };

  /// Of what is left after an error: of any node.
  constexpr const core::shape& shape_of(expr x) const { return nodes[x.valid() ? x.id : 0].shape; }
  constexpr int operand(int id, int i) const { return operands[nodes[id].first_operand + i]; }

  constexpr bool is_number(std::uint16_t d) const { return dim_numbers[d] >= 0; }
  constexpr std::int64_t number(std::uint16_t d) const { return dim_numbers[d]; }
  constexpr dim dim_of(std::uint16_t d) const {
    if (!is_number(d)) return forms[-1 - dim_numbers[d]];
    dim size = dim_numbers[d];
    if (!dim_labels[d].ambiguous)
      for (int i = 0; i < dim::max_name; ++i) size.label[i] = dim_labels[d].text[i];
    return size;
  }

  /// Writes the path of a scope with its closing dot: "h.*.attn.". Without `apart`, layers of any numbers are
  /// ".*".
  constexpr void write_scope(sentence& s, int scope, bool apart = true) const {
    if (scope == 0) return;
    write_scope(s, scopes[scope].parent, apart);
    s << text_of(scopes[scope]);
    if (scopes[scope].index == scope_name::any_layer)
      detail::write_layers(s, apart ? scopes[scope].layers : detail::layer_numbers{});
    if (scopes[scope].index >= 0) s << '.' << scopes[scope].index;
    s << '.';
  }
  /// The text of a scope's or a parameter's own name.
  template <class entry>
  constexpr const char* text_of(const entry& e) const {
    return e.copied < 0 ? e.text : texts + e.copied;
  }
  /// Of the whole name, however it is divided into scopes (FNV-1a).
  static constexpr std::uint32_t hash_on(std::uint32_t hash, const name_text& name) {
    for (std::int32_t i = 0; i < name.size; ++i)
      hash = (hash ^ static_cast<unsigned char>(name.text[i])) * 16777619u;
    return hash;
  }
  constexpr std::uint32_t hash_of(int scope, const name_text& text) const {
    return hash_on(scopes[scope].hash, text);
  }
  constexpr sentence parameter_name(int parameter, bool apart = true) const {
    sentence s;
    write_scope(s, parameters[parameter].scope, apart);
    return s << text_of(parameters[parameter]);
  }

private:
  // Templates stand before the members that use them: clang cannot evaluate them at compile time otherwise.
  static constexpr bool has_scope(const quoted&) { return true; }
  static constexpr bool has_scope(const named& word) { return !word.name.empty(); }
  template <class other>
  static constexpr bool has_scope(const other&) {
    return false;
  }
  template <class word>
  constexpr void write(sentence& s, const word& w) const {
    if constexpr (std::is_same_v<word, shape>) {
      s << '[';
      for (int i = 0; i < w.rank; ++i) {
        if (i > 0) s << ", ";
        s << dim_of(w.dims[i]);
      }
      s << ']';
    } else if constexpr (std::is_same_v<word, expr>) {
      write(s, shape_of(w));
    } else if constexpr (std::is_same_v<word, quoted>) {
      s << w.word << " \"" << w.name << '"';
    } else if constexpr (std::is_same_v<word, named>) {
      s << w.word;
      if (w.name.empty()) return;
      s << " \"";
      write_scope(s, current_scope);
      s << w.name << '"';
    } else {
      s << w;
    }
  }

public:
  /// Writes the sentence that the parts make, and its number, about what was declared in a scope. Where the
  /// parts give no scoped name, the scope is said first.
  template <class... parts>
  constexpr void say(int number, sentence& s, source_place at, int scope, const parts&... words) const {
    s << at << ": ";
    if (scope != 0 && !(has_scope(words) || ...)) {
      s << "in \"";
      write_scope(s, scope);
      s.text[--s.size] = '\0';
      s << "\": ";
    }
    (write(s, words), ...);
    s << sentence_id{number};
  }

protected:
  // A scope and the region that it was opened in.
  struct opened {
    int scope, region;
  };
  // The innermost repeat at or around it.
  constexpr opened repeat_around(opened at) const {
    while (at.scope != 0 && scopes[at.scope].index != scope_name::any_layer)
      at.scope = scopes[at.scope].parent;
    while (regions[at.region].is_scan()) at.region = regions[at.region].parent;
    return at;
  }
  constexpr opened outside(opened repeat) const {
    return {scopes[repeat.scope].parent, regions[repeat.region].parent};
  }
  // Whether two names that differ in their layers' numbers alone mean the same layer somewhere: repeats of
  // one name may follow each other ({.first = k}), and take turns ({.period = p}).
  constexpr bool layers_meet(opened a, opened b) const {
    for (;; a = outside(a), b = outside(b)) {
      a = repeat_around(a), b = repeat_around(b);
      if (a.scope == 0 || b.scope == 0) return true;
      if (!detail::numbers_meet(scopes[a.scope].layers, regions[a.region].count, scopes[b.scope].layers,
                                regions[b.region].count))
        return false;
    }
  }
};

} // namespace fovea::core
