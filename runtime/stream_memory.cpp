#include <fovea/runtime/stream_memory.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include <fovea/base/error.hpp>
#include <fovea/base/memory.hpp>
#include <fovea/dsl/passes/by_position.hpp>

namespace fovea::core::detail {

namespace {

/// Into how many heads falls what attention alone reads, as its keys or values; 0: something else reads it.
int heads_of_kept(const graph_view& g, int kept, int time_axis) {
  int heads = 0;
  for (const named_value& out : g.outputs)
    if (out.node == kept) return 0;
  for (int id = 0; id < g.node_count(); ++id)
    for (int k = 0; k < g.at(id).operand_count; ++k) {
      if (g.operand(id, k) != kept) continue;
      const node& n = g.at(id);
      if (n.kind == op::attention && (k == 1 || k == 2))
        heads = n.settings.attention.kv_heads;
      else if (n.kind == op::slice && n.settings.slice.axis == time_axis)
        heads = heads_of_kept(g, id, time_axis);
      else
        return 0;
      if (heads == 0) return 0;
    }
  return heads;
}

void expect_whole_pieces(weight_format format, std::size_t head, const char* model) {
  const std::size_t piece = kept_piece_of(format).values;
  if (head % piece != 0)
    throw error(std::string(model) + ": stream: .cache = " + name_of(format) + " keeps " +
                std::to_string(piece) +
                " features together, expected a multiple of them in each head, found heads of " +
                std::to_string(head) + (head % 2 == 0 ? "; f16 and bf16 keep two together" : ""));
}

} // namespace

stream_memory::stream_memory(const graph_view& g, std::span<const bool> live,
                             std::span<const std::int64_t> capacity, int state_count,
                             std::int64_t most_positions, std::int64_t stride, int batch_dim,
                             weight_format format, const char* model)
    : graph_(g), format_(format), states_(static_cast<std::size_t>(state_count)) {
  const auto multiple = static_cast<std::size_t>(stride), most = static_cast<std::size_t>(most_positions);
  std::vector<std::size_t> floats(states_.size());
  double kept = 0, added = 0; // floats of all windows, and of a position of each
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    if (n.kind == op::keep) states_[static_cast<std::size_t>(kept_index(n))].of_begin = false;
    if ((n.kind != op::state && n.kind != op::cache) || !live[static_cast<std::size_t>(id)]) continue;
    placed& s = states_[static_cast<std::size_t>(kept_index(n))];
    s.node = id;
    s.piece = static_cast<std::size_t>(kept_index(n));
    s.layers = static_cast<std::size_t>(g.layers(id));
    if (batch_dim != 0 && n.shape.rank > 0)
      s.parts = static_cast<std::size_t>(parts_of_rows(g, n.shape.dims[0], g.dim_of(batch_dim)));
    if (n.kind == op::cache) {
      const cache_settings& o = n.settings.cache;
      s.is_cache = true;
      s.of_begin = false;
      s.kept = static_cast<std::size_t>(o.kept);
      s.rate = o.rate;
      s.first = static_cast<float>(o.first);
      if (const int heads = format == weight_format::f32 ? 0 : heads_of_kept(g, id, o.axis); heads > 0) {
        expect_whole_pieces(format, position_of(s, capacity) / static_cast<std::size_t>(heads), model);
        s.format = format;
      }
    }
    s.batches = 1;
    for (int axis = 0; axis < (n.kind == op::cache ? n.settings.cache.axis : n.shape.rank); ++axis)
      s.batches *= static_cast<std::size_t>(capacity[n.shape.dims[axis]]);
    if (s.kept > 0) {
      const double position =
          static_cast<double>(s.layers * s.batches) * static_cast<double>(position_of(s, capacity));
      kept += position * static_cast<double>(s.kept);
      added += s.rate < 0 ? position * static_cast<double>(-s.rate) : position / static_cast<double>(s.rate);
    }
  }
  // Windows move on by so many positions before they are brought back: so many that this costs less than what
  // steps add to them, where they stay in the second-level cache all the same.
  constexpr std::size_t least_room = 64;
  constexpr double most_room = 128 * 1024; // floats
  const double enough = added > 0 ? std::min(2 * kept, most_room) / added : 0;
  const std::size_t room = std::max({least_room, most, static_cast<std::size_t>(enough)});
  window_room_ = (room + multiple - 1) / multiple * multiple;
  for (placed& s : states_) {
    if (s.node < 0) continue;
    const std::size_t position = s.is_cache ? position_of(s, capacity) : 0;
    if (s.is_cache) s.rows = s.kept > 0 ? s.kept + s.positions(window_room_) : s.positions(most);
    if (static_cast<double>(s.batches) * static_cast<double>(s.rows) * static_cast<double>(position) *
            static_cast<double>(s.layers) >
        most_floats)
      throw std::bad_alloc();
    s.layer = (s.batches * (s.is_cache ? s.rows * position : 1) + 15) / 16 * 16;
    size_ += s.layer * s.layers;
    floats[s.piece] = s.layer * s.layers + 16; // kernels may read a vector past the last value
  }
  memory_ = pieces(floats);
  moved_ = pieces(floats);
  fill_first();
}

std::vector<kept_state> stream_memory::places() {
  std::vector<kept_state> made;
  for (const placed& s : states_) made.push_back({begin_of(s), s.layer, s.rows, s.format});
  return made;
}

void stream_memory::fill(const placed& s, std::size_t offset, std::size_t floats) {
  std::fill_n(begin_of(s) + offset, floats, s.first);
}

void stream_memory::fill_first() {
  for (const placed& s : states_)
    if (s.first != 0) fill(s, 0, s.layer * s.layers);
}

void stream_memory::clear() {
  memory_.clear();
  fill_first();
  window_start_ = 0;
}

std::vector<float> stream_memory::save() const {
  std::vector<float> values;
  values.reserve(size_);
  for (const placed& s : states_) values.insert(values.end(), begin_of(s), begin_of(s) + s.layer * s.layers);
  return values;
}

void stream_memory::load(std::span<const float> values) {
  const float* from = values.data();
  for (const placed& s : states_) {
    std::copy_n(from, s.layer * s.layers, begin_of(s));
    from += s.layer * s.layers;
  }
}

// Windows

void stream_memory::move_window(const placed& s, float* plane, std::size_t position, std::size_t from,
                                std::size_t to) {
  std::memmove(plane + s.positions(to) * position, plane + s.positions(from) * position,
               s.kept * position * sizeof(float));
}

void stream_memory::bring_back(std::span<const std::int64_t> sizes) {
  for (const placed& s : states_) {
    if (s.kept == 0) continue;
    const std::size_t position = position_of(s, sizes);
    for (std::size_t i = 0; i < s.layers * s.batches; ++i)
      move_window(s, begin_of(s) + i / s.batches * s.layer + i % s.batches * s.rows * position, position,
                  window_start_, 0);
  }
  window_start_ = 0;
}

void stream_memory::advance(std::size_t count, std::span<const row_position> rows,
                            std::span<const std::int64_t> sizes) {
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].idle)
      for_parts(row, sizes, [&](const placed& s, const row_part& p) {
        for (std::size_t i = 0; s.kept > 0 && i < p.planes; ++i)
          move_window(s, begin_of(s) + p.offset + i * p.plane, p.position, window_start_,
                      window_start_ + count);
      });
  advance(count);
}

// Rows

stream_memory::row_part stream_memory::part_of(const placed& s, std::size_t layer, std::size_t row,
                                               std::span<const std::int64_t> sizes) const {
  const node& n = graph_.at(s.node);
  const auto product = [&](int first, int last) {
    std::size_t floats = 1;
    for (int axis = first; axis < last; ++axis) floats *= static_cast<std::size_t>(sizes[n.shape.dims[axis]]);
    return floats;
  };
  row_part p{layer * s.layer, 1, 0, 0};
  if (s.is_cache) {
    p.position = position_of(s, sizes);
    p.planes = s.parts * product(1, n.settings.cache.axis);
    p.plane = s.rows * p.position;
  } else {
    p.plane = s.parts * product(1, n.shape.rank);
  }
  p.offset += row * p.planes * p.plane;
  return p;
}

template <class F>
void stream_memory::for_parts(std::size_t row, std::span<const std::int64_t> sizes, const F& f) const {
  for (const placed& s : states_) {
    if (s.node < 0 || s.parts == 0) continue;
    for (std::size_t layer = 0; layer < s.layers; ++layer) f(s, part_of(s, layer, row, sizes));
  }
}

void stream_memory::reorder(std::span<const std::size_t> from, std::span<const std::int64_t> sizes) {
  const auto changes = [&](std::size_t row) { return row < from.size() && from[row] != row; };
  // Rows that are overwritten are kept apart for those that go on as they were.
  if (moved_.size() != memory_.size()) moved_ = memory_;
  for (std::size_t row = 0; row < from.size(); ++row)
    if (changes(row) && std::ranges::find(from, row) != from.end())
      for_parts(row, sizes, [&](const placed& s, const row_part& p) {
        std::copy_n(begin_of(s) + p.offset, p.planes * p.plane, moved_[s.piece] + p.offset);
      });
  for (std::size_t row = 0; row < from.size(); ++row)
    if (changes(row))
      for_parts(row, sizes, [&](const placed& s, const row_part& p) {
        const std::size_t floats = p.planes * p.plane;
        const float* of = changes(from[row]) ? moved_[s.piece] : begin_of(s);
        std::copy_n(of + p.offset + from[row] * floats - row * floats, floats, begin_of(s) + p.offset);
      });
}

void stream_memory::copy(std::size_t from, std::size_t to, std::span<const std::int64_t> sizes) {
  if (from == to) return;
  for_parts(to, sizes, [&](const placed& s, const row_part& p) {
    const std::size_t floats = p.planes * p.plane;
    std::copy_n(begin_of(s) + p.offset + from * floats - to * floats, floats, begin_of(s) + p.offset);
  });
}

void stream_memory::clear(std::size_t row, std::span<const std::int64_t> sizes) {
  for_parts(row, sizes, [&](const placed& s, const row_part& p) {
    if (!s.of_begin) fill(s, p.offset, p.planes * p.plane);
  });
}

template <class F>
void stream_memory::for_kept(std::size_t row, std::int64_t positions, std::span<const std::int64_t> sizes,
                             const F& f) const {
  for_parts(row, sizes, [&](const placed& s, const row_part& p) {
    if (!s.is_cache) {
      f(begin_of(s) + p.offset, p.plane);
      return;
    }
    const std::size_t first = s.kept > 0 ? s.positions(window_start_) : 0,
                      count = s.kept > 0 ? s.kept : s.positions(static_cast<std::size_t>(positions));
    for (std::size_t i = 0; i < p.planes; ++i)
      f(begin_of(s) + p.offset + i * p.plane + first * p.position, count * p.position);
  });
}

std::vector<float> stream_memory::save(std::size_t row, std::int64_t positions,
                                       std::span<const std::int64_t> sizes) const {
  std::vector<float> values;
  for_kept(row, positions, sizes,
           [&](const float* from, std::size_t floats) { values.insert(values.end(), from, from + floats); });
  return values;
}

std::size_t stream_memory::load(std::size_t row, std::int64_t positions, std::span<const std::int64_t> sizes,
                                std::span<const float> values) {
  std::size_t all = 0;
  for_kept(row, positions, sizes, [&](const float*, std::size_t floats) { all += floats; });
  if (all != values.size()) return all;
  const float* from = values.data();
  for_kept(row, positions, sizes, [&](float* to, std::size_t floats) {
    std::copy_n(from, floats, to);
    from += floats;
  });
  return all;
}

} // namespace fovea::core::detail
