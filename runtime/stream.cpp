#include <fovea/runtime/stream.hpp>

#include <algorithm>
#include <cstring>

namespace fovea::detail {

std::vector<dim_size> full_capacity(graph_view graph, const char* name, std::span<const dim_size> capacity) {
  const call_sizes sizes(graph, name, capacity);
  std::vector<dim_size> full;
  for (const std::string& symbol : sizes.symbols())
    full.push_back({dim::symbol(symbol.c_str()), sizes.size_of(symbol.c_str())});
  return full;
}

std::vector<dim_size> capacity_for(graph_view graph, std::span<const dim_size> capacity) {
  std::vector<dim_size> made;
  for (const dim_size& d : capacity)
    if (std::ranges::any_of(graph.forms, [&](const dim& form) {
          return std::any_of(form.atoms, form.atoms + form.atom_count, [&](const dim::atom& a) {
            return a.divisor == 0 && same_text(a.symbol, d.symbol.name());
          });
        }))
      made.push_back(d);
  return made;
}

stream_memory::stream_memory(const graph_view& g, std::span<const bool> live,
                             std::span<const std::int64_t> capacity, int state_count,
                             std::int64_t most_positions, std::int64_t most_new, int batch_dim)
    : graph_(g), states_(static_cast<std::size_t>(state_count)), batch_dim_(batch_dim) {
  // Windows move on by so many positions before they are brought back.
  constexpr std::size_t least_room = 64;
  window_room_ = std::max(least_room, static_cast<std::size_t>(most_new));
  std::size_t total = 0;
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    if ((n.kind != op::state && n.kind != op::cache) || !live[static_cast<std::size_t>(id)]) continue;
    placed& s = states_[static_cast<std::size_t>(n.attributes[0])];
    s.node = id;
    s.offset = total;
    s.layers = static_cast<std::size_t>(g.layers(id));
    if (n.kind == op::cache) {
      s.kept = static_cast<std::size_t>(n.attributes[2]);
      s.rows = s.kept > 0 ? s.kept + window_room_ : static_cast<std::size_t>(most_positions);
      s.position = 1;
      for (int axis = n.attributes[1] + 1; axis < n.shape.rank; ++axis)
        s.position *= static_cast<std::size_t>(capacity[n.shape.dims[axis]]);
    }
    s.batches = 1;
    for (int axis = 0; axis < (n.kind == op::cache ? n.attributes[1] : n.shape.rank); ++axis)
      s.batches *= static_cast<std::size_t>(capacity[n.shape.dims[axis]]);
    s.layer = (s.batches * (n.kind == op::cache ? s.rows * s.position : 1) + 15) / 16 * 16;
    total += s.layer * s.layers;
  }
  total += 16; // kernels may read a vector past the last value
  buffer_ = buffer::from_shape({total});
  moved_ = buffer::from_shape({total});
  clear();
}

std::vector<simd::kept_state> stream_memory::places() {
  std::vector<simd::kept_state> made;
  for (const placed& s : states_)
    made.push_back({buffer_.data() + s.offset, s.layer, s.rows, s.kept > 0 ? s.position : 0});
  return made;
}

void stream_memory::bring_back() {
  for (const placed& s : states_)
    for (std::size_t i = 0; s.kept > 0 && i < s.layers * s.batches; ++i) {
      float* row = buffer_.data() + s.offset + i / s.batches * s.layer + i % s.batches * s.rows * s.position;
      std::memmove(row, row + window_start_ * s.position, s.kept * s.position * sizeof(float));
    }
  window_start_ = 0;
}

void stream_memory::reorder(std::span<const std::size_t> from, std::span<const std::int64_t> sizes) {
  moved_ = buffer_;
  for (const placed& s : states_) {
    if (s.node < 0) continue;
    const node& n = graph_.at(s.node);
    if (n.shape.rank == 0 || n.shape.dims[0] != batch_dim_) continue;
    std::size_t row = n.kind == op::cache ? s.rows * s.position : 1;
    for (int axis = 1; axis < (n.kind == op::cache ? n.attributes[1] : n.shape.rank); ++axis)
      row *= static_cast<std::size_t>(sizes[n.shape.dims[axis]]);
    for (std::size_t layer = 0; layer < s.layers; ++layer)
      for (std::size_t i = 0; i < from.size(); ++i)
        std::copy_n(moved_.data() + s.offset + layer * s.layer + from[i] * row, row,
                    buffer_.data() + s.offset + layer * s.layer + i * row);
  }
}

} // namespace fovea::detail
