#include <fovea/weights/formatted.hpp>

#include <cstdint>
#include <vector>

#include <fovea/dsl/plan/fuse.hpp>
#include <fovea/weights/filter_rows.hpp>
#include <fovea/weights/inside_scan.hpp>
#include <fovea/weights/panel_layout.hpp>

namespace fovea::core {
namespace {

/// Whether fewer bytes of a weight are of use: what a scan or a convolution reads at each step may stay in a cache as
/// it is.
bool is_worth_it(const graph_view& g, int product, int weight) {
  const weight_matrix matrix(g, weight);
  const bool stays = inside_scan(g, product) || is_convolution(g.at(product).kind);
  return !stays || matrix.rows * matrix.depth() > most_row_weights;
}

/// Whether what the windows of a convolution see are rows of one product, and no tiles, which are faster.
bool is_product_of_windows(const graph_view& g, int id) {
  const node& n = g.at(id);
  if (!is_convolution(n.kind) || is_transposed(n.kind)) return false;
  const sliding_window& w = g.window_of(id);
  return w.groups == 1 && !w.falls_into_time_tiles() && !w.falls_into_plane_tiles() &&
         weight_matrix(g, g.operand(id, 1)).depth() <= most_rounded_depth / 2;
}

/// The product that a node may become one with in float32, or -1: a batch norm scales the rows of its weights, and of a
/// convolution only the largest values over time may be kept.
int joined_product(const graph_view& g, int id) {
  if (g.at(id).kind == op::batch_norm) return g.operand(id, 0);
  if (g.at(id).kind != op::max_over) return -1;
  int from = g.operand(id, 0);
  while (is_activation(g.at(from).kind)) from = g.operand(from, 0);
  return detail::is_largest_of(g, id, from) ? from : -1;
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
      const bool of_rows = n.kind == op::linear || n.kind == op::matmul || n.kind == op::expert_linear ||
                           (format != weight_format::f32 && is_product_of_windows(g, id));
      const bool product = of_rows && k == 1 && fixed_weight(g, id) == from && !is_from_columns(g, id) &&
                           is_worth_it(g, id, from);
      const bool table = n.kind == op::gather && k == 0 && from == g.operand(id, 0);
      if (product) weight[static_cast<std::size_t>(from)] = true;
      if (!product && !table) other[static_cast<std::size_t>(from)] = true;
    }
    if (const int product = joined_product(g, id); product >= 0 && fixed_weight(g, product) >= 0)
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
