#include <fovea/weights/rounded_products.hpp>

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/plan/fuse.hpp>
#include <fovea/weights/inside_scan.hpp>
#include <fovea/weights/panel_layout.hpp>

namespace fovea::core {
namespace {

/// The parameter that a product multiplies by, or -1.
std::int32_t parameter_of(const graph_view& g, int product) {
  const std::int32_t weight = fixed_weight(g, product);
  return weight < 0 || g.at(weight).kind != op::parameter ? -1 : g.at(weight).settings.entry.index;
}

} // namespace

std::vector<bool> rounded_products(const graph_view& g) {
  std::vector<bool> stays(g.parameters.size(), false), rounded(g.nodes.size(), false);
  for (int id = 0; id < g.node_count(); ++id) {
    const int product = g.at(id).kind == op::batch_norm ? g.operand(id, 0) : id;
    if (product == id && !inside_scan(g, id)) continue;
    if (const std::int32_t p = parameter_of(g, product); p >= 0) stays[static_cast<std::size_t>(p)] = true;
  }
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    if ((n.kind != op::linear && n.kind != op::matmul) || inside_scan(g, id)) continue;
    if (const std::int32_t p = parameter_of(g, id); p >= 0) {
      const shape& weight = g.at(fixed_weight(g, id)).shape;
      const std::int64_t depth = g.number(weight[is_from_columns(g, id) ? 0 : 1]);
      rounded[static_cast<std::size_t>(id)] =
          !stays[static_cast<std::size_t>(p)] && depth <= static_cast<std::int64_t>(most_rounded_depth / 2);
    } else {
      rounded[static_cast<std::size_t>(id)] =
          n.kind == op::matmul && n.shape.rank == 2 && g.at(g.operand(id, 0)).kind == op::transpose;
    }
  }
  return rounded;
}

} // namespace fovea::core
