#include <fovea/backends/reference/scalar_function.hpp>

#include <algorithm>
#include <array>

#include <fovea/backends/reference/elementwise.hpp>

namespace fovea::core::reference_ops {

namespace {

double element_at(const array& table, std::span<const double> positions) {
  std::size_t offset = 0;
  for (std::size_t axis = 0; axis < positions.size(); ++axis) {
    const auto last = static_cast<std::int64_t>(table.shape(axis)) - 1;
    const auto position = std::clamp(static_cast<std::int64_t>(positions[axis]), std::int64_t{0}, last);
    offset = offset * table.shape(axis) + static_cast<std::size_t>(position);
  }
  return table.data()[offset];
}

} // namespace

double evaluate(const scalar_function& f, const scalar_arguments& given,
                std::span<const array* const> tables) {
  std::array<double, scalar_function::max_nodes> values{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(f.count); ++i) {
    const scalar_node& n = f.nodes[i];
    std::array<double, 4> operands{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(n.operand_count); ++k)
      operands[k] = values[static_cast<unsigned char>(n.operands[k])];
    switch (n.kind) {
      case op::constant:
        values[i] = n.number;
        break;
      case op::score:
        values[i] = given.score;
        break;
      case op::batch_index:
        values[i] = static_cast<double>(given.batch);
        break;
      case op::head_index:
        values[i] = static_cast<double>(given.head);
        break;
      case op::query_position:
        values[i] = static_cast<double>(given.query);
        break;
      case op::key_position:
        values[i] = static_cast<double>(given.key);
        break;
      case op::where:
        values[i] = operands[0] != 0 ? operands[1] : operands[2];
        break;
      case op::table_at: {
        const array& table = *tables[static_cast<std::size_t>(n.capture)];
        values[i] = element_at(table, std::span(operands).first(static_cast<std::size_t>(n.operand_count)));
        break;
      }
      default:
        values[i] =
            is_unary(n.kind) ? unary(n.kind)(operands[0]) : binary(n.kind, n.type)(operands[0], operands[1]);
    }
  }
  return values[static_cast<std::size_t>(f.count - 1)];
}

} // namespace fovea::core::reference_ops
