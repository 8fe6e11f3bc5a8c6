#include <cstring>

#include <fovea/backends/simd/steps.hpp>

namespace fovea::simd {

void run_keep(context& c, const step& s) {
  const int from = c.graph.operand(s.node, 0);
  std::memcpy(c.state(s.node), c.value(from), c.elements(c.shape_of(s.node)) * sizeof(float));
}

void run_cache(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int from = c.graph.operand(s.node, 0), axis = n.attributes[1];
  const shape& x = c.shape_of(from);
  const size_t position = c.elements(x, axis + 1, x.rank), count = c.size(x[axis]) * position,
               batches = c.elements(x, 0, axis), stride = c.state_of(s.node).rows * position;
  const auto before = static_cast<size_t>(n.attributes[2] > 0 ? n.attributes[2] : c.before);
  float* to = c.state(s.node) + before * position;
  const float* value = c.value(from);
  for (size_t b = 0; b < batches; ++b) std::memcpy(to + b * stride, value + b * count, count * sizeof(float));
}

void run_position(context& c, const step& s) {
  *reinterpret_cast<std::int32_t*>(c.result(s.node)) = static_cast<std::int32_t>(c.before);
}

} // namespace fovea::simd
