#include <fovea/backends/simd/step_text.hpp>

#include <cstring>
#include <iterator>

#include <fovea/backends/simd/attention_choice.hpp>
#include <fovea/backends/simd/engine.hpp>
#include <fovea/backends/simd/format_code.hpp>
#include <fovea/backends/simd/step_kernels.hpp>
#include <fovea/dsl/graph_text.hpp>

namespace fovea::core::simd {
namespace {

/// By which no step is called.
constexpr kernel_names helpers{kernel_name::pack, kernel_name::pack_bfloats, kernel_name::round_bfloats,
                               kernel_name::update, kernel_name::limits};

constexpr const char* kernel_words[] = {
#define FOVEA_WORD(name, type) helpers.has(kernel_name::name) ? nullptr : #name,
    FOVEA_KERNELS(FOVEA_WORD)
#undef FOVEA_WORD
};

void cut_ending(sentence& name, const char* ending) {
  const std::size_t length = std::strlen(ending);
  if (name.size > length && std::strcmp(name.text + name.size - length, ending) == 0)
    name.text[name.size -= length] = '\0';
}

/// The first parameter of a node without .weight and .bias; where it has none, the scope that it stands in.
sentence name_of(const graph_view& g, int id) {
  for (int k = 0; k < g.at(id).operand_count; ++k) {
    int from = g.operand(id, k);
    if (g.at(from).kind == op::transpose) from = g.operand(from, 0);
    if (g.at(from).kind != op::parameter) continue;
    sentence name = g.parameter_name(g.at(from).settings.entry.index);
    cut_ending(name, ".weight");
    cut_ending(name, ".bias");
    return name;
  }
  sentence scope;
  g.write_scope(scope, g.at(id).scope, g.at(id).region);
  cut_ending(scope, ".");
  return scope;
}

/// A list in a sentence: " (a, b)".
struct list {
  sentence& text;
  const char *before, *between;
  bool empty = true;

  template <class part>
  void add(const part& one) {
    text << (empty ? before : between) << one;
    empty = false;
  }
  void add_operation(op kind) {
    if (kind != op::none) add(word_of(kind));
  }
};

/// What is computed on the way to the value of a step, beside its own operation.
void write_fused(sentence& text, const net_view& net, const step& s) {
  const plan_view& plan = *net.plan;
  list fused{text, " (", ", "};
  if (s.kind == step_kind::chain) {
    const chain_range& c = plan.chains[s.node];
    for (int k = 0; k < c.members; ++k)
      fused.add_operation(net.graph->at(plan.members[c.first_member + k]).kind);
  } else if (s.kind == step_kind::product || s.kind == step_kind::convolution) {
    for (int k = 0; k < s.count; ++k) {
      const int root = plan.parts[s.first + k];
      if (plan.norm[plan.product[root]] >= 0) fused.add_operation(op::batch_norm);
      fused.add_operation(plan.activation[root]);
      fused.add_operation(plan.join[root]);
      if (plan.largest[root]) fused.add_operation(op::max_over);
    }
  }
  if (!fused.empty) text << ')';
}

bool is_rounded_attention(const net_view& net, int i, dim_values sizes) {
  const step& s = net.plan->steps[i];
  if (s.kind != step_kind::single || net.graph->at(s.node).kind != op::attention) return false;
  const shape& queries = net.graph->at(net.graph->operand(s.node, 0)).shape;
  return rounds_attention(net.weights->kernels, net.code[i],
                          static_cast<std::size_t>(sizes[static_cast<std::size_t>(queries[-2])]));
}

} // namespace

sentence text_of(const net_view& net, int i) {
  const graph_view& g = *net.graph;
  const step& s = net.plan->steps[i];
  if (s.kind == step_kind::loop_begin || s.kind == step_kind::loop_end) return loop_text(g, g.region(s.node));
  sentence text;
  text << (s.kind == step_kind::chain ? "chain" : word_of(g.at(net.node_of(s, 0))));
  list names{text, " ", ", "};
  for (int k = 0; k < net.parts_of(s); ++k)
    if (const sentence name = name_of(g, net.node_of(s, k)); !name.empty()) names.add(name.text);
  write_fused(text, net, s);
  return text;
}

const char* kernel_of(const net_view& net, int i, dim_values sizes) {
  const step& s = net.plan->steps[i];
  if (s.kind == step_kind::loop_begin) return net.is_small_scan(i) ? "scan" : "loop";
  if (s.kind == step_kind::chain) return "chain";
  kernel_names called = kernels_of(*net.graph, *net.plan, s);
  const weight_format format = format_of(net, i);
  if (format != weight_format::f32)
    called = called.has(kernel_name::gather) ? gather_kernel(format) : product_kernel(format);
  else if (is_rounded_attention(net, i, sizes))
    called = kernel_name::rounded_attention;
  else if (called.has(kernel_name::small_product) && net.weights->kernels.small_product == nullptr)
    called = kernel_name::product; // that of all products, where some are large
  for (std::size_t k = 0; k < std::size(kernel_words); ++k)
    if (kernel_words[k] != nullptr && called.has(static_cast<kernel_name>(k))) return kernel_words[k];
  return word_in_graph(net.graph->at(s.node).kind);
}

bool multiplies_floats(const net_view& net, int i, dim_values sizes) {
  return !rounds_rows(format_of(net, i)) && !is_rounded_attention(net, i, sizes);
}

weight_format format_of(const net_view& net, int i) {
  const graph_view& g = *net.graph;
  const step& s = net.plan->steps[i];
  if (s.kind != step_kind::product && s.kind != step_kind::single && s.kind != step_kind::convolution)
    return weight_format::f32;
  const int id = net.node_of(s, 0);
  const int weight = g.at(id).kind == op::gather ? g.operand(id, 0) : fixed_weight(g, id);
  if (weight < 0 || g.at(weight).kind != op::parameter) return weight_format::f32;
  const model_parameters& p = net.weights->parameters;
  return p.format(static_cast<std::size_t>(p.first(g.at(weight).settings.entry.index)));
}

sentence sizes_of(const net_view& net, int i, dim_values sizes) {
  const graph_view& g = *net.graph;
  const step& s = net.plan->steps[i];
  sentence text;
  list axes{text, "", " x "};
  const auto size = [&](int d) { return sizes[static_cast<std::size_t>(d)]; };
  const auto add_axes = [&](const shape& of, int last) {
    for (int axis = 0; axis < last; ++axis) axes.add(size(of.dims[axis]));
  };
  if (s.kind == step_kind::loop_begin || s.kind == step_kind::loop_end) {
    if (const region_entry& r = g.region(s.node); r.is_scan()) axes.add(size(r.time));
    return text;
  }
  const int id = net.node_of(s, 0);
  const node& n = g.at(id);
  if (s.kind == step_kind::product) {
    const shape& left = g.at(g.operand(id, 0)).shape;
    std::int64_t rows = 1, columns = 0;
    for (int axis = 0; axis + 1 < left.rank; ++axis) rows *= size(left.dims[axis]);
    for (int k = 0; k < s.count; ++k) columns += size(g.at(net.node_of(s, k)).shape[-1]);
    for (const std::int64_t one : {rows, size(left[-1]), columns}) axes.add(one);
  } else if (s.kind == step_kind::matmul || n.kind == op::attention) {
    const shape &left = g.at(g.operand(id, 0)).shape, &right = g.at(g.operand(id, 1)).shape;
    const bool attends = n.kind == op::attention;
    const shape& rows = attends ? left : n.shape;
    add_axes(rows, rows.rank - 1);
    axes.add(size(attends ? right[-2] : left[-1]));
    axes.add(size(rows[-1]));
  } else {
    add_axes(g.at(s.node).shape, g.at(s.node).shape.rank);
  }
  return text;
}

sentence sizes_of_call(const net_view& net, dim_values sizes) {
  const graph_view& g = *net.graph;
  sentence text;
  list all{text, "", ", "};
  for (int d = 0; d < static_cast<int>(g.dim_numbers.size()); ++d)
    if (!g.is_number(d) && g.form(d).is_symbol()) {
      all.add(g.form(d).name());
      text << " = " << sizes[static_cast<std::size_t>(d)];
    }
  return text;
}

} // namespace fovea::core::simd
