#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/graph.hpp>
#include <fovea/dsl/passes/unused.hpp>

namespace fovea::core::detail {

// What `fovea shapes` reads of a model: a constant text that lies in the object file, found by its first
// bytes. It is not found by a section's name, because g++ 12 puts no variable of a template into a section
// that is asked for. Included where FOVEA_SHAPES is defined, and only there.

inline constexpr const char* shapes_mark = "\1fovea shapes 1"; // a line by itself
inline constexpr char shapes_end = '\2';

/// What an ill-formed model counts: whatever it is compared with, it is that.
struct any_number {
  friend constexpr bool operator==(any_number, std::int64_t) { return true; }
  friend constexpr bool operator<(any_number, std::int64_t) { return true; }
  friend constexpr bool operator>(any_number, std::int64_t) { return true; }
  friend constexpr bool operator<=(any_number, std::int64_t) { return true; }
  friend constexpr bool operator>=(any_number, std::int64_t) { return true; }
};

/// Counts what is written to it.
struct text_length {
  std::size_t size = 0;
  constexpr void put(char) { ++size; }
};
/// Keeps it.
template <std::size_t length>
struct kept_text {
  char bytes[length] = {};
  std::size_t size = 0;
  constexpr void put(char c) { bytes[size++] = c; }
};

/// Writes a graph, one record a line, its fields between tabs:
///   f PATH        the next file; files, scopes and dims are numbered from 0
///   s NAME        the next scope, as in "h.*.attn."; the first is empty
///   d DIM         the next dim, as in T + 1; the first is none
///   p NODE TEXT   a parameter's own name, which its scope precedes
///   i NODE TEXT   an input's name
///   n FILE LINE WORD ROLE TYPE SCOPE DIMS OPERANDS
///                 the next node; dims and operands are numbers between commas
///   u NODE        what no output depends on (unused_nodes)
///   e SENTENCE    what is wrong with the model, where something is; the nodes are those before it
template <class sink>
struct shapes_writer {
  const graph& g;
  sink& out;
  static constexpr int max_known_files = 64;
  const char* known_files[max_known_files] = {};
  int file_count = 0;

  /// A control character would end a field.
  constexpr void put(const char* text) {
    for (; *text != '\0'; ++text) out.put('\0' < *text && *text < ' ' ? ' ' : *text);
  }
  constexpr void put(std::int64_t number) {
    sentence s;
    s << number;
    put(s.text);
  }
  template <class... fields>
  constexpr void record(const char* kind, const fields&... values) {
    put(kind);
    ((out.put('\t'), put(values)), ...);
    out.put('\n');
  }
  /// The number of a file, which is written when it is new. One that is not known any more is new again.
  constexpr int file(const char* path) {
    for (int i = 0; i < file_count && i < max_known_files; ++i)
      if (same_text(known_files[i], path)) return i;
    record("f", path);
    if (file_count < max_known_files) known_files[file_count] = path;
    return file_count++;
  }

  /// `unused` of a well-formed model, `error` of another.
  constexpr void write(const unused_nodes* unused, const sentence& error) {
    for (const char* c = shapes_mark; *c != '\0'; ++c) out.put(*c);
    out.put('\n');
    for (int i = 0; i < g.scope_count; ++i) {
      sentence name;
      g.write_scope(name, i);
      record("s", name.text);
    }
    record("d", "");
    for (int i = 1; i < g.dim_count; ++i) {
      sentence name;
      name << g.dim_of(static_cast<std::uint16_t>(i));
      record("d", name.text);
    }
    for (int i = 0; i < g.parameter_count; ++i) record("p", g.parameters[i].node, g.text_of(g.parameters[i]));
    for (int i = 0; i < g.input_count; ++i) record("i", g.inputs[i].node, g.inputs[i].name);
    for (int id = 0; id < g.node_count; ++id) node_record(id);
    for (int id = 0; unused != nullptr && id < g.node_count; ++id)
      if (unused->contains(id)) record("u", id);
    if (!error.empty()) record("e", error.text);
    out.put(shapes_end);
  }

private:
  /// What a scan and a repeat give is one kind of node.
  constexpr const char* word(const node& n) const {
    if (n.kind == op::repeat_output && n.at.word == nullptr && g.regions[n.settings.carried.region].is_scan())
      return word_of(op::scan_output);
    return word_of(n);
  }
  /// inner: stands for a value inside a loop; part: of a word made of several nodes; leaf: takes no value;
  /// word: the rest.
  static constexpr const char* role(const node& n) {
    if (is_inner(n.kind)) return "inner";
    if (n.at.word != nullptr) return "part";
    return operation_of(n.kind).of == family::leaf && n.kind != op::input ? "leaf" : "word";
  }
  constexpr void node_record(int id) {
    const node& n = g.nodes[id];
    const int in = file(n.at.file);
    put("n");
    for (std::int64_t number : {in, n.at.line}) out.put('\t'), put(number);
    for (const char* text : {word(n), role(n), name_of(n.type)}) out.put('\t'), put(text);
    out.put('\t'), put(n.scope);
    out.put('\t');
    for (int i = 0; i < n.shape.rank; ++i) {
      if (i > 0) out.put(',');
      put(n.shape[i]);
    }
    out.put('\t');
    for (int i = 0; i < n.operand_count; ++i) {
      if (i > 0) out.put(',');
      put(g.operand(id, i));
    }
    out.put('\n');
  }
};

/// The text of what was declared, well-formed or not. Asking for it puts it into the object file.
template <class declared>
struct shapes_of {
  static constexpr unused_nodes find_unused() {
    const auto image = image_of<declared>();
    return unused_nodes(image.view());
  }
  static constexpr unused_nodes unused = find_unused();
  template <class sink>
  static constexpr sink written() {
    sink out;
    shapes_writer<sink> writer{declared::built, out};
    if constexpr (declared::error.empty())
      writer.write(&unused, {});
    else
      writer.write(nullptr, declared::error);
    return out;
  }
  static constexpr std::size_t length = written<text_length>().size;
#if __has_cpp_attribute(gnu::no_reorder) // of g++, which turns the models' order around otherwise
  [[gnu::no_reorder]]
#endif
  [[gnu::used]] static constexpr kept_text<length>
      text = written<kept_text<length>>();
};

} // namespace fovea::core::detail
