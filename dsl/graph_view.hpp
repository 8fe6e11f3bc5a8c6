#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <fovea/dsl/graph.hpp>

namespace fovea::core {

/// A table of a graph: what std::span<const T> is, which costs the compiler some hundred templates for each T.
template <class T>
class table_view {
public:
  constexpr table_view() = default;
  constexpr table_view(const T* rows, std::size_t count) : rows_(rows), count_(count) {}
  template <class table>
  constexpr table_view(const table& of) : rows_(of.data()), count_(of.size()) {}

  constexpr const T* begin() const { return rows_; }
  constexpr const T* end() const { return rows_ + count_; }
  constexpr const T* data() const { return rows_; }
  constexpr std::size_t size() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr const T& operator[](std::size_t i) const { return rows_[i]; }

private:
  const T* rows_ = nullptr;
  std::size_t count_ = 0;
};

/// A finished graph, read only: what passes, the plan and the backends see, at compile time and at run time
/// alike.
struct graph_view {
  table_view<node> nodes;
  table_view<std::int32_t> operands;
  table_view<std::int64_t> dim_numbers;
  table_view<dim> forms;
  table_view<scope_name> scopes;
  table_view<parameter_entry> parameters;
  table_view<named_value> inputs, outputs;
  table_view<region_entry> regions;
  table_view<scalar_function> functions;
  table_view<sliding_window> windows;
  table_view<rope_scaling> scalings;
  bool is_part = false; // of a model, whose weights hold more
  int ranks = 1;        // that compute it together

  constexpr int node_count() const { return static_cast<int>(nodes.size()); }
  constexpr const node& at(int id) const { return nodes[static_cast<std::size_t>(id)]; }
  constexpr int operand(int id, int i) const {
    return operands[static_cast<std::size_t>(at(id).first_operand + i)];
  }
  constexpr const region_entry& region(int i) const { return regions[static_cast<std::size_t>(i)]; }
  constexpr const scalar_function& function(int i) const { return functions[static_cast<std::size_t>(i)]; }
  /// Of a convolution or pooling.
  constexpr const sliding_window& window_of(int id) const {
    return windows[static_cast<std::size_t>(at(id).settings.window.index)];
  }
  /// Of rope.
  constexpr rope_scaling scaling_of(int id) const {
    const int index = at(id).settings.rope.scaling;
    return index < 0 ? rope_scaling{} : scalings[static_cast<std::size_t>(index)];
  }

  constexpr bool is_number(int d) const { return dim_numbers[static_cast<std::size_t>(d)] >= 0; }
  constexpr std::int64_t number(int d) const { return dim_numbers[static_cast<std::size_t>(d)]; }
  /// The dim behind an id that is not a number.
  constexpr const dim& form(int d) const { return forms[static_cast<std::size_t>(-1 - number(d))]; }
  constexpr dim dim_of(int d) const { return is_number(d) ? dim(number(d)) : form(d); }
  /// The size of a dim, given that of each symbol by size_of(name).
  template <class sizes>
  constexpr std::int64_t size(int d, const sizes& size_of) const {
    return is_number(d) ? number(d) : form(d).evaluate(size_of);
  }
  /// The largest size that a dim may have while that of each symbol is at most size_of(name). It is that at
  /// these sizes, unless some of them are subtracted.
  template <class sizes>
  constexpr std::int64_t largest(int d, const sizes& size_of) const {
    return is_number(d) ? number(d) : form(d).range_up_to(size_of).most;
  }

  /// How many layers share a node's declaration: 1, or the product of the counts of the repeats around it.
  constexpr std::int64_t layers(int id) const {
    std::int64_t n = 1;
    // The second bound always holds; it tells g++ 12 that a graph without repeats is not read past its only
    // region.
    const auto count = static_cast<int>(regions.size());
    for (int r = at(id).region; r > 0 && r < count; r = region(r).parent) n *= region(r).count;
    return n;
  }

  /// A parameter's name. Inside repeats each ".*", or ".{3*i+1}", stands for a layer's number; with `layer`
  /// (counted through all repeats around it, the innermost fastest) the numbers are written.
  constexpr sentence parameter_name(int parameter, std::int64_t layer = -1) const {
    const parameter_entry& p = parameters[static_cast<std::size_t>(parameter)];
    sentence s;
    write_scope(s, p.scope, at(p.node).region, layer);
    return s << p.text;
  }

  constexpr void write_shape(sentence& s, const shape& x) const {
    s << '[';
    for (int i = 0; i < x.rank; ++i) {
      if (i > 0) s << ", ";
      s << dim_of(x.dims[i]);
    }
    s << ']';
  }

  /// The path of a scope that is open in region r with its closing dot: "h.*.attn.".
  constexpr void write_scope(sentence& s, int scope, int r, std::int64_t layer = -1) const {
    if (scope == 0) return;
    while (region(r).is_scan()) r = region(r).parent; // scans have no scope of their own
    const scope_name& name = scopes[static_cast<std::size_t>(scope)];
    const bool numbered = name.index == scope_name::any_layer;
    const std::int64_t count = numbered ? region(r).count : 1;
    write_scope(s, name.parent, numbered ? region(r).parent : r, layer < 0 ? layer : layer / count);
    s << name.text;
    if (numbered && layer < 0) detail::write_layers(s, name.layers);
    if (numbered && layer >= 0) s << '.' << (name.layers.first + name.layers.step * (layer % count));
    if (name.index >= 0) s << '.' << name.index;
    s << '.';
  }
};

/// A graph as passes see it while they make another of it: names that were computed are in its texts alone.
constexpr graph_view view_of_tables(const graph& g) {
  const auto part = [](const auto* rows, int count) {
    return table_view<std::remove_cvref_t<decltype(*rows)>>(rows, static_cast<std::size_t>(count));
  };
  return {part(g.nodes, g.node_count),
          part(g.operands, g.operand_count),
          part(g.dim_numbers, g.dim_count),
          part(g.forms, g.form_count),
          part(g.scopes, g.scope_count),
          part(g.parameters, g.parameter_count),
          part(g.inputs, g.input_count),
          part(g.outputs, g.output_count),
          part(g.regions, g.region_count),
          part(g.functions, g.function_count),
          part(g.windows, g.window_count),
          part(g.scalings, g.scaling_count),
          g.is_part,
          g.ranks};
}

/// A graph's tables at their exact sizes, kept as a constant.
template <int nodes, int operands, int dims, int forms, int scopes, int parameters, int inputs, int outputs,
          int regions, int functions, int windows, int scalings>
struct graph_image {
  std::array<node, nodes> node_table{};
  std::array<std::int32_t, operands> operand_table{};
  std::array<std::int64_t, dims> dim_table{};
  std::array<dim, forms> form_table{};
  std::array<scope_name, scopes> scope_table{};
  std::array<parameter_entry, parameters> parameter_table{};
  std::array<named_value, inputs> input_table{};
  std::array<named_value, outputs> output_table{};
  std::array<region_entry, regions> region_table{};
  std::array<scalar_function, functions> function_table{};
  std::array<sliding_window, windows> window_table{};
  std::array<rope_scaling, scalings> scaling_table{};
  bool is_part = false;
  int ranks = 1;

  constexpr graph_view view() const {
    return {node_table,      operand_table, dim_table,    form_table,   scope_table,
            parameter_table, input_table,   output_table, region_table, function_table,
            window_table,    scaling_table, is_part,      ranks};
  }
};

namespace detail {

/// The names that its declaration computed.
template <class declared>
inline constexpr auto texts_of = [] {
  std::array<char, static_cast<std::size_t>(declared::built.text_size) + 1> texts{};
  for (std::size_t i = 0; i + 1 < texts.size(); ++i) texts[i] = declared::built.texts[i];
  return texts;
}();

/// The image of the graph that is `declared::built`.
template <class declared>
constexpr auto image_of() {
  constexpr const graph& g = declared::built;
  graph_image<g.node_count, g.operand_count, g.dim_count, g.form_count, g.scope_count, g.parameter_count,
              g.input_count, g.output_count, g.region_count, g.function_count, g.window_count,
              g.scaling_count>
      made;
  const auto copy = [](auto& to, const auto& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i];
  };
  copy(made.node_table, g.nodes);
  copy(made.operand_table, g.operands);
  copy(made.dim_table, g.dim_numbers);
  copy(made.form_table, g.forms);
  copy(made.scope_table, g.scopes);
  copy(made.parameter_table, g.parameters);
  if constexpr (g.text_size > 0) {
    const auto point = [](auto& table) {
      for (auto& named : table)
        if (named.copied >= 0) named.text = texts_of<declared>.data() + named.copied, named.copied = -1;
    };
    point(made.scope_table);
    point(made.parameter_table);
  }
  copy(made.input_table, g.inputs);
  copy(made.output_table, g.outputs);
  copy(made.region_table, g.regions);
  copy(made.function_table, g.functions);
  copy(made.window_table, g.windows);
  copy(made.scaling_table, g.scalings);
  made.is_part = g.is_part, made.ranks = g.ranks;
  return made;
}

/// The same with the view of it.
template <class declared>
struct kept_graph {
  static constexpr auto image = image_of<declared>();
  static constexpr graph_view view = image.view();
};

} // namespace detail

} // namespace fovea::core
