#include <cstring>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

void run_keep(context& c, const step& s) {
  const shape& x = c.shape_of(s.node);
  const float* from = c.value(c.graph.operand(s.node, 0));
  float* to = c.state(s.node);
  if (c.row_places == nullptr) {
    std::memcpy(to, from, c.elements(x) * sizeof(float));
    return;
  }
  const size_t row = c.elements(x) / c.row_count;
  for (size_t b = 0; b < c.row_count; ++b)
    if (!c.is_idle(b)) std::memcpy(to + b * row, from + b * row, row * sizeof(float));
}

void run_cache(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const cache_settings& o = n.settings.cache;
  const int from = c.graph.operand(s.node, 0), axis = o.axis;
  const shape& x = c.shape_of(from);
  const kept_state& state = c.state_of(s.node);
  const weight_format format = state.format;
  const size_t position = c.elements(x, axis + 1, x.rank), count = c.size(x[axis]) * position,
               kept_position = c.kept_position(s.node), batches = c.elements(x, 0, axis),
               stride = state.rows * kept_position;
  const auto kept = static_cast<size_t>(o.kept);
  const auto append = [&](size_t batch, std::int64_t before) {
    const size_t first = kept > 0 ? kept : static_cast<size_t>(positions_at(o.rate, before));
    float* const to = c.state(s.node) + batch * stride + first * kept_position;
    const float* const values = c.value(from) + batch * count;
    if (format == weight_format::f32)
      std::memcpy(to, values, count * sizeof(float));
    else
      c.run(*c.kernels.keep,
            keep_args{.x = values, .rows = c.size(x[axis]), .width = position, .out = to, .format = format});
  };
  if (c.row_places == nullptr) {
    for (size_t b = 0; b < batches; ++b) append(b, c.before);
    return;
  }
  for (size_t b = 0; b < batches; ++b)
    if (const row_position& row = c.row_places[c.row_of(b, batches)]; !row.idle) append(b, row.before);
}

void run_position(context& c, const step& s) {
  const shape& x = c.shape_of(s.node);
  auto* to = reinterpret_cast<std::int32_t*>(c.result(s.node));
  for (size_t b = 0; b < c.elements(x); ++b) to[b] = integer_position(c.before_row(b));
}

} // namespace fovea::core::simd
