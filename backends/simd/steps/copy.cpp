#include <algorithm>
#include <cstring>
#include <utility>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

namespace {

/// A view of elements by strides, the last axis innermost. Strides may be negative or 0. What a stream keeps
/// has room for more positions than it holds.
struct strided {
  const float* from;
  std::ptrdiff_t strides[shape::max_rank] = {};

  strided(const context& c, int node) : from(c.value(node)) {
    const shape& s = c.shape_of(node);
    const core::node& kept = c.graph.at(c.plan.base[node]);
    std::ptrdiff_t stride = 1;
    for (int axis = s.rank - 1; axis >= 0; --axis) {
      strides[axis] = stride;
      const bool has_room = kept.kind == op::cache && axis == kept.settings.cache.axis;
      stride *= static_cast<std::ptrdiff_t>(has_room ? c.state_of(node).rows : c.size(s.dims[axis]));
    }
  }
};

/// Copies a view of shape `s` to `out`, whose rows (last axes) lie `out_strides` apart.
void copy(context& c, const shape& s, const strided& view, float* out, const size_t* out_strides) {
  const int axes = s.rank == 0 ? 0 : s.rank - 1;
  const size_t row = s.rank == 0 ? 1 : c.size(s[-1]);
  const std::ptrdiff_t step = s.rank == 0 ? 1 : view.strides[s.rank - 1];
  c.run(c.elements(s, 0, axes), [&](size_t first, size_t last, size_t) {
    // Where row `first` lies; from there on the axes are counted up.
    size_t at[shape::max_rank] = {}, rest = first;
    const float* from = view.from;
    float* to = out;
    for (int axis = axes - 1; axis >= 0; --axis) {
      at[axis] = rest % c.size(s.dims[axis]);
      rest /= c.size(s.dims[axis]);
      from += static_cast<std::ptrdiff_t>(at[axis]) * view.strides[axis];
      to += at[axis] * out_strides[axis];
    }
    for (size_t i = first; i < last; ++i) {
      if (step == 1)
        std::memcpy(to, from, row * sizeof(float));
      else
        for (size_t j = 0; j < row; ++j) to[j] = from[static_cast<std::ptrdiff_t>(j) * step];
      for (int axis = axes - 1; axis >= 0; --axis) {
        from += view.strides[axis];
        to += out_strides[axis];
        if (++at[axis] < c.size(s.dims[axis])) break;
        from -= static_cast<std::ptrdiff_t>(at[axis]) * view.strides[axis];
        to -= at[axis] * out_strides[axis];
        at[axis] = 0;
      }
    }
  });
}

/// The last two axes of a contiguous value exchanged.
void turn(context& c, const shape& x, const float* from, float* out) {
  const size_t rows = c.size(x[-2]), columns = c.size(x[-1]), all = c.elements(x, 0, x.rank - 2);
  const turn_args one{
      .x = from, .out = out, .rows = rows, .columns = columns, .x_row = columns, .out_row = rows};
  const size_t tasks = c.kernels.turn->tasks(one);
  c.run(all * tasks, [&](size_t first, size_t last, size_t) {
    while (first < last) {
      turn_args part = one;
      const size_t matrix = first / tasks, begin = first % tasks,
                   end = std::min(tasks, begin + (last - first));
      part.x += matrix * rows * columns, part.out += matrix * rows * columns;
      c.kernels.turn->run(part, begin, end);
      first += end - begin;
    }
  });
}

void contiguous(const context& c, const shape& s, size_t* strides) {
  size_t stride = 1;
  for (int axis = s.rank - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= c.size(s.dims[axis]);
  }
}

/// Whether a slice is of positions that rows of a stream, which stand apart, have kept in different numbers.
bool is_of_rows(const context& c, int id) {
  const node& n = c.graph.at(id);
  if (n.kind != op::slice || c.row_places == nullptr) return false;
  const node& kept = c.graph.at(c.plan.base[c.graph.operand(id, 0)]);
  if (kept.kind != op::cache || kept.settings.cache.axis != n.settings.slice.axis) return false;
  return kept.settings.cache.kept == 0 || !c.graph.is_number(n.settings.slice.first);
}

/// What each row has kept, of a window from its own first position on, and zeros behind it.
void read_windows(const context& c, int id) {
  const node& n = c.graph.at(id);
  const int from = c.graph.operand(id, 0), axis = n.settings.slice.axis;
  const node& window = c.graph.at(c.plan.base[from]);
  const size_t kept = static_cast<size_t>(window.settings.cache.kept), planes = c.elements(n.shape, 0, axis),
               position = c.elements(n.shape, axis + 1, n.shape.rank), room = c.size(n.shape[axis]),
               held = c.size(c.shape_of(from)[axis]), rows = c.state_of(from).rows;
  float* out = c.result(id);
  for (size_t plane = 0; plane < planes; ++plane, out += room * position) {
    const auto before = static_cast<size_t>(
        positions_at(window.settings.cache.rate, c.row_places[c.row_of(plane, planes)].first()));
    const size_t first = kept - std::min(kept, before), count = std::min(held, rows) - first;
    std::memcpy(out, c.value(from) + (plane * rows + first) * position, count * position * sizeof(float));
    std::fill_n(out + count * position, (room - count) * position, 0.0f);
  }
}

} // namespace

void run_copy(context& c, const step& s) {
  if (c.plan.places[s.node].where == lies::inside) return;
  if (is_of_rows(c, s.node)) return read_windows(c, s.node);
  const node& n = c.graph.at(s.node);
  const int from = c.graph.operand(s.node, 0);
  const shape& x = c.shape_of(from);
  if (n.kind == op::transpose) return turn(c, x, c.value(from), c.result(s.node));
  strided view(c, from);
  switch (n.kind) {
    case op::permute: {
      strided moved = view;
      for (int i = 0; i < x.rank; ++i) moved.strides[i] = view.strides[n.settings.permute.order[i]];
      view = moved;
      break;
    }
    case op::slice:
      view.from +=
          static_cast<std::ptrdiff_t>(c.size(n.settings.slice.first)) * view.strides[n.settings.slice.axis];
      break;
    case op::reverse: {
      const int axis = n.settings.along.axis;
      std::ptrdiff_t& stride = view.strides[axis];
      view.from += (static_cast<std::ptrdiff_t>(c.size(x[axis])) - 1) * stride;
      stride = -stride;
      break;
    }
    default: { // broadcast: missing and single axes do not move
      strided stretched = view;
      const int missing = n.shape.rank - x.rank;
      for (int i = 0; i < n.shape.rank; ++i)
        stretched.strides[i] = i < missing || c.size(x[i - missing]) == 1 ? 0 : view.strides[i - missing];
      view = stretched;
    }
  }
  size_t strides[shape::max_rank] = {};
  contiguous(c, n.shape, strides);
  copy(c, n.shape, view, c.result(s.node), strides);
}

void run_concat(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int axis = n.settings.along.axis;
  size_t strides[shape::max_rank] = {};
  contiguous(c, n.shape, strides);
  float* out = c.result(s.node);
  for (int k = 0; k < n.operand_count; ++k) {
    const int from = c.graph.operand(s.node, k);
    copy(c, c.shape_of(from), strided(c, from), out, strides);
    out += c.size(c.shape_of(from)[axis]) * strides[axis];
  }
}

namespace {

/// The operand's elements from place `first` on along an axis of the result, and `value` around them.
void put(context& c, int id, int axis, size_t first, double value) {
  const node& n = c.graph.at(id);
  const int from = c.graph.operand(id, 0);
  float* out = c.result(id);
  const size_t count = c.elements(n.shape);
  if (n.type == element::f32)
    std::fill_n(out, count, static_cast<float>(value));
  else
    std::fill_n(reinterpret_cast<std::int32_t*>(out), count, static_cast<std::int32_t>(value));
  size_t strides[shape::max_rank] = {};
  contiguous(c, n.shape, strides);
  copy(c, c.shape_of(from), strided(c, from), out + first * strides[axis], strides);
}

} // namespace

void run_pad(context& c, const step& s) {
  const pad_settings& o = c.graph.at(s.node).settings.pad;
  put(c, s.node, o.axis, static_cast<size_t>(o.before), o.value);
}

void run_slice_gradient(context& c, const step& s) {
  const slice_settings& o = c.graph.at(s.node).settings.slice;
  put(c, s.node, o.axis, c.size(o.first), 0);
}

void begin_loop(context& c, int region) {
  const region_entry& r = c.graph.region(region);
  for (int k = 0; k < r.carried; ++k) {
    const carried_value& v = c.plan.carried[region][k];
    if (v.initial >= 0)
      std::memcpy(c.slots[v.slot], c.value(v.initial), c.elements(c.shape_of(r.first + k)) * sizeof(float));
  }
}

void end_pass(context& c, int region) {
  const region_entry& r = c.graph.region(region);
  for (int k = 0; k < r.carried; ++k) {
    const carried_value& v = c.plan.carried[region][k];
    if (v.copied >= 0)
      std::memcpy(c.slots[v.next], c.value(v.copied), c.elements(c.shape_of(r.first + k)) * sizeof(float));
  }
  for (int k = 0; k < r.carried; ++k)
    std::swap(c.slots[c.plan.carried[region][k].slot], c.slots[c.plan.carried[region][k].next]);
}

} // namespace fovea::core::simd
