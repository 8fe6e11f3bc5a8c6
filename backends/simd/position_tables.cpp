#include <fovea/backends/simd/position_tables.hpp>

#include <algorithm>
#include <cmath>

namespace fovea::core::simd {

position_tables::position_tables(const graph_view& graph, std::span<const std::int64_t> capacity)
    : table_of_(graph.nodes.size(), 0) {
  for (int id = 0; id < graph.node_count(); ++id)
    if (const node& n = graph.at(id); n.kind == op::rope)
      most_behind_ = std::max(
          most_behind_, static_cast<size_t>(n.lag.positions + n.lag.each_layer * (graph.layers(id) - 1)));
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    const node& n = graph.nodes[id];
    if (n.kind != op::rope && n.kind != op::sinusoidal) continue;
    const auto positions = static_cast<size_t>(capacity[n.shape[-2]]) + most_behind_;
    const turning how = turning_of(graph, static_cast<int>(id));
    const auto known = std::ranges::find_if(
        tables_, [&](const table& t) { return t.how == how && t.positions == positions; });
    table_of_[id] = static_cast<std::size_t>(known - tables_.begin());
    if (known != tables_.end()) continue;
    tables_.push_back({how, n.shape[-2], positions, size_, rope_turns_of(how.base, how.width, how.scaling)});
    size_ += positions * how.width;
  }
  values_ = buffer::from_shape({size_});
  for (const table& t : tables_)
    t.fill(-static_cast<std::int64_t>(most_behind_), t.positions, values_.data() + t.offset);
}

position_tables::turning position_tables::turning_of(const graph_view& graph, int id) {
  const node& n = graph.at(id);
  if (n.kind == op::rope) {
    const rope_settings& o = n.settings.rope;
    return {n.kind, o.base, graph.scaling_of(id), o.first, o.rate, static_cast<size_t>(o.width)};
  }
  const sinusoidal_settings& o = n.settings.sinusoidal;
  return {n.kind, o.base, {}, 0, o.rate, static_cast<size_t>(graph.number(n.shape[-1]))};
}

void position_tables::table::fill(std::int64_t from, size_t count, float* to) const {
  for (size_t p = 0; p < count; ++p)
    for (const double turn : turns.turns) {
      const double angle = static_cast<double>(from + static_cast<std::int64_t>(p) + how.first) * turn;
      *to++ = static_cast<float>(turns.amplitude * std::sin(angle));
      *to++ = static_cast<float>(turns.amplitude * std::cos(angle));
    }
}

void position_tables::go_beyond(size_t rows) { beyond_ = buffer::from_shape({size_ * rows}); }

void position_tables::prepare(std::int64_t before, std::span<const row_position> rows,
                              std::span<const std::int64_t> sizes) {
  for (const table& t : tables_) {
    const auto count = static_cast<size_t>(sizes[t.length]) + most_behind_;
    for (size_t row = 0; row < std::max<size_t>(rows.size(), 1); ++row)
      if (const size_t first = t.first(rows.empty() ? before : rows[row].first());
          first + count > t.positions)
        t.fill(static_cast<std::int64_t>(first) - static_cast<std::int64_t>(most_behind_), count,
               beyond_.data() + (t.offset + row * size_));
  }
}

} // namespace fovea::core::simd
