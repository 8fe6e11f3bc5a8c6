#include <fovea/weights/formatted.hpp>

#include <cstdint>
#include <vector>

#include <fovea/dsl/plan/fuse.hpp>
#include <fovea/weights/inside_scan.hpp>

namespace fovea::core {
namespace {

/// Whether fewer bytes of a weight are of use: what a scan reads at each step may stay in a cache as it is.
bool is_worth_it(const graph_view& g, int product, int weight) {
  const shape& s = g.at(weight).shape;
  return !inside_scan(g, product) || g.number(s[0]) * g.number(s[1]) > most_row_weights;
}

} // namespace

formatted_parameters formatted(const graph_view& g, weight_format format) {
  formatted_parameters made{format};
  std::vector<bool> weight(g.nodes.size(), false), other(g.nodes.size(), false);
  for (const named_value& out : g.outputs) other[static_cast<std::size_t>(out.node)] = true;
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    // A transposed parameter is read where the parameter lies; what its readers are counts for both.
    if (n.kind == op::transpose && g.at(g.operand(id, 0)).kind == op::parameter) continue;
    for (int k = 0; k < n.operand_count; ++k) {
      int from = g.operand(id, k);
      if (g.at(from).kind == op::transpose) from = g.operand(from, 0);
      if (g.at(from).kind != op::parameter) continue;
      const bool product = (n.kind == op::linear || n.kind == op::matmul || n.kind == op::expert_linear) &&
                           k == 1 && fixed_weight(g, id) == from && !is_from_columns(g, id) &&
                           is_worth_it(g, id, from);
      const bool table = n.kind == op::gather && k == 0 && from == g.operand(id, 0);
      if (product) weight[static_cast<std::size_t>(from)] = true;
      if (!product && !table) other[static_cast<std::size_t>(from)] = true;
    }
    // A batch norm scales the rows of the weights before it.
    if (const int product = n.kind == op::batch_norm ? g.operand(id, 0) : -1;
        product >= 0 && fixed_weight(g, product) >= 0)
      other[static_cast<std::size_t>(fixed_weight(g, product))] = true;
  }
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    const auto id = static_cast<std::size_t>(g.parameters[p].node);
    if (!weight[id] || other[id]) continue;
    for (std::int64_t layer = 0; layer < g.layers(g.parameters[p].node); ++layer)
      made.names.emplace(g.parameter_name(static_cast<int>(p), layer).text);
  }
  return made;
}

} // namespace fovea::core
