#include <cstring>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

namespace {

/// A sequence as [before, time, after], and where the current step of its scan begins.
struct step_rows {
  size_t before, after, stride, first;

  step_rows(const context& c, const node& n, const shape& sequence)
      : before(c.elements(sequence, 0, n.settings.time.axis)),
        after(c.elements(sequence, n.settings.time.axis + 1, sequence.rank)),
        stride(after * c.size(sequence[n.settings.time.axis])),
        first(after * static_cast<size_t>(c.times[n.settings.time.region])) {}
};

void copy_rows(context& c, const step_rows& rows, float* to, size_t to_stride, const float* from,
               size_t from_stride) {
  c.run(rows.before, [&](size_t first, size_t last, size_t) {
    for (size_t i = first; i < last; ++i)
      std::memcpy(to + i * to_stride, from + i * from_stride, rows.after * sizeof(float));
  });
}

} // namespace

void run_time_step(context& c, const step& s) {
  if (c.plan.places[s.node].where == lies::inside) return;
  const node& n = c.graph.at(s.node);
  const int sequence = c.graph.operand(s.node, 0);
  const step_rows rows(c, n, c.shape_of(sequence));
  copy_rows(c, rows, c.result(s.node), rows.after, c.value(sequence) + rows.first, rows.stride);
}

void run_scan(context& c, const scan_nodes& nodes) {
  const region_entry& r = c.graph.region(nodes.region);
  begin_loop(c, nodes.region);
  scan_args a;
  a.packed =
      c.scans[nodes.region].data + static_cast<size_t>(c.layers[nodes.region]) * c.scans[nodes.region].layer;
  a.steps = c.size(r.time);
  const shape& state = c.shape_of(r.first);
  a.rows = c.rows(state);
  // Time is the first axis of a sequence or the one before its features.
  const auto place = [&](const shape& sequence, int axis, size_t& row, size_t& time) {
    const size_t width = c.size(sequence[-1]), steps = c.size(sequence[axis]);
    const bool first = axis == 0;
    row = first ? width : steps * width;
    time = first ? c.elements(sequence, 1, sequence.rank) : width;
  };
  for (int i = 0; i < nodes.input_count; ++i) {
    const int sequence = c.graph.operand(nodes.inputs[i], 0);
    a.inputs[i] = c.value(sequence);
    place(c.shape_of(sequence), c.graph.at(nodes.inputs[i]).settings.time.axis, a.input_row[i],
          a.input_time[i]);
  }
  for (int i = 0; i < nodes.output_count; ++i) {
    a.outputs[i] = c.result(nodes.outputs[i]);
    place(c.shape_of(nodes.outputs[i]), c.graph.at(nodes.outputs[i]).settings.time.axis, a.output_row[i],
          a.output_time[i]);
  }
  for (int k = 0; k < r.carried; ++k) a.states[k] = c.slots[c.plan.carried[nodes.region][k].slot];
  c.run(a.rows, [&](size_t first, size_t last, size_t) { c.code->scan(a, first, last); });
}

void run_time_index(context& c, const step& s) {
  *reinterpret_cast<std::int32_t*>(c.result(s.node)) =
      static_cast<std::int32_t>(c.times[c.graph.at(s.node).settings.time.region]);
}

void run_outside(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const outside_settings& o = n.settings.outside;
  const int axis = o.axis;
  const size_t rows = axis == 0 ? 1 : c.size(n.shape[0]), count = c.size(n.shape[axis]);
  auto* out = reinterpret_cast<std::int32_t*>(c.result(s.node));
  for (size_t row = 0; row < rows; ++row) {
    const std::int64_t first = positions_at(o.rate, c.before_row(row)) - c.behind(s.node),
                       end = positions_at(o.rate, c.end_row(row)) + o.extra;
    for (std::int64_t i = first; i < first + static_cast<std::int64_t>(count); ++i)
      *out++ = i < 0 || i >= end;
  }
}

void run_stack(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const place& of = c.plan.places[c.plan.base[c.graph.operand(s.node, 0)]];
  if (of.where == lies::each_pass && of.index == c.plan.places[s.node].index) return; // it was made there
  const step_rows rows(c, n, n.shape);
  copy_rows(c, rows, c.result(s.node) + rows.first, rows.stride, c.value(c.graph.operand(s.node, 0)),
            rows.after);
}

} // namespace fovea::core::simd
