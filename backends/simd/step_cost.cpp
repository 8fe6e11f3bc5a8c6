#include <fovea/backends/simd/step_cost.hpp>

#include <algorithm>

#include <fovea/backends/simd/engine.hpp>
#include <fovea/dsl/plan/cost.hpp>

namespace fovea::core::simd {
namespace {

/// Counts what the nodes of a step read and write in one pass.
class traffic {
public:
  traffic(const net_view& net, dim_values sizes) : net_(net), sizes_(sizes) {}

  std::int64_t parameters = 0, values = 0; // bytes

  std::int64_t size(int d) const { return sizes_[static_cast<std::size_t>(d)]; }
  std::int64_t elements(int id) const {
    return core::detail::elements(net_.graph->at(id).shape, [this](int d) { return size(d); });
  }

  void write(int id) { values += bytes_of_elements * elements(id); }
  /// A value or parameter, wherever it lies; numbers that code has in itself are nowhere.
  void read(int id) { read(id, -1); }
  /// So many elements of it; -1: all.
  void read(int id, std::int64_t part) {
    const graph_view& g = *net_.graph;
    const int b = net_.plan->base[id];
    if (g.at(b).kind == op::constant || !is_first(b)) return;
    const std::int64_t count = part < 0 ? elements(id) : part;
    const int source =
        g.at(b).kind == op::transpose && net_.plan->viewed[b] ? net_.plan->base[g.operand(b, 0)] : b;
    if (g.at(source).kind == op::parameter)
      parameters += count * bits_of_group(source) / (8 * std::int64_t{weight_group});
    else
      values += bytes_of_elements * count;
  }
  /// The weights of a product, which transpositions may stand before.
  void read_weights(int id) {
    const int weight = fixed_weight(*net_.graph, id);
    read(weight >= 0 ? weight : net_.graph->operand(id, 1));
  }
  /// What one node reads and writes that is a step by itself.
  void add_single(int id) {
    const graph_view& g = *net_.graph;
    const node& n = g.at(id);
    const cost costs = operation_of(n.kind).costs;
    const bool takes = costs == cost::taken || n.kind == op::slice;
    const bool puts = costs == cost::put || n.kind == op::cache;
    const bool reads = n.kind != op::range && n.kind != op::sinusoidal; // of their operand they take the size
    for (int k = 0; reads && k < n.operand_count; ++k)
      if (k == 0 && takes)
        read(g.operand(id, k), elements(id));
      else if (k == 1 && n.kind == op::expert_linear) // of as many experts as rows may choose at most
        read(g.operand(id, k),
             std::min(elements(g.operand(id, k)), elements(id) * size(g.at(g.operand(id, 0)).shape[-1])));
      else
        read(g.operand(id, k));
    if (puts)
      write(g.operand(id, 0));
    else
      write(id);
  }
  /// A product or convolution with its epilogue, of which `root` has the value.
  void add_product(int root) {
    const graph_view& g = *net_.graph;
    const int id = net_.plan->product[root] >= 0 ? net_.plan->product[root] : root;
    read(g.operand(id, 0));
    if (id == root && net_.plan->product[root] < 0) {
      for (int k = 1; k < g.at(id).operand_count; ++k) read(g.operand(id, k));
    } else {
      read_weights(id);
      if (g.at(id).operand_count > 2) read(g.operand(id, 2));
      if (net_.plan->join[root] != op::none) read(net_.plan->other[root]);
    }
    write(root);
  }
  void add_chain(int id) {
    const chain_range& c = net_.plan->chains[id];
    for (int k = 0; k < c.leaves; ++k) read(net_.plan->leaves[c.first_leaf + k]);
    write(id);
  }

private:
  static constexpr std::int64_t bytes_of_elements = 4;

  bool is_first(int base) {
    for (int k = 0; k < seen_count_; ++k)
      if (seen_[k] == base) return false;
    if (seen_count_ < most_seen) seen_[seen_count_++] = base;
    return true;
  }
  /// What weight_group values of a parameter take, with their share of scales.
  std::int64_t bits_of_group(int parameter) const {
    const model_parameters& p = net_.weights->parameters;
    const int index = net_.graph->at(parameter).settings.entry.index;
    const format_traits& kept = traits(p.format(static_cast<std::size_t>(p.first(index))));
    const bool scaled = kept.together > 0 && kept.in_files();
    const unsigned of_scales = scaled ? (16 * kept.halves + 32 * kept.words) * weight_group / kept.block : 0;
    return kept.bits * weight_group + of_scales;
  }

  const net_view& net_;
  dim_values sizes_;
  static constexpr int most_seen = 64; // of more, some may count twice
  int seen_[most_seen], seen_count_ = 0;
};

/// What a scan of one function reads and writes: sequences and states once, and parameters once, for they stay in a
/// cache.
void add_scan(traffic& t, const net_view& net, int region) {
  const graph_view& g = *net.graph;
  const region_entry& r = g.region(region);
  for (int id = r.first; id < r.last; ++id) {
    if (!net.plan->live[id]) continue;
    const node& n = g.at(id);
    if (n.kind == op::carry || n.kind == op::time_step) t.read(g.operand(id, 0));
    if (n.kind == op::stack) t.write(id);
    for (int k = 0; k < n.operand_count; ++k)
      if (const int from = net.plan->base[g.operand(id, k)]; g.at(from).kind == op::parameter) t.read(from);
  }
}

std::int64_t flops_of(const net_view& net, int id, dim_values sizes) {
  const auto size = [sizes](int d) { return sizes[static_cast<std::size_t>(d)]; };
  return 2 * core::detail::multiply_adds(*net.graph, id, size);
}

} // namespace

step_cost cost_of(const net_view& net, int i, dim_values sizes) {
  const graph_view& g = *net.graph;
  const plan_view& plan = *net.plan;
  const step& s = plan.steps[i];
  step_cost made;
  traffic once(net, sizes);
  const auto passes = [&](int id) {
    return core::detail::passes(g, id, [&](int d) { return once.size(d); });
  };
  if (s.kind == step_kind::loop_begin || s.kind == step_kind::loop_end) {
    const region_entry& r = g.region(s.node);
    made.passes = passes(r.first) / (r.is_scan() ? once.size(r.time) : r.count);
    if (!net.is_small_scan(i)) return made;
    made.layers = g.layers(r.first);
    for (int id = r.first; id < r.last; ++id)
      if (plan.live[id]) made.flops += flops_of(net, id, sizes) * (passes(id) / made.passes);
    add_scan(once, net, s.node);
  } else {
    made.passes = passes(s.node);
    made.layers = g.layers(s.node);
    for (int k = 0; k < net.parts_of(s); ++k) {
      const int root = s.has_parts() ? plan.parts[s.first + k] : s.node;
      made.flops += flops_of(net, net.node_of(s, k), sizes);
      if (s.has_parts())
        once.add_product(root);
      else if (s.kind == step_kind::chain)
        once.add_chain(root);
      else
        once.add_single(root);
    }
  }
  made.parameter_bytes = once.parameters;
  made.value_bytes = once.values;
  return made;
}

} // namespace fovea::core::simd
