#include <cstring>

#include <fovea/backends/simd/steps.hpp>

namespace fovea::simd {

void run_keep(context& c, const step& s) {
  const int from = c.graph.operand(s.node, 0);
  std::memcpy(c.state(s.node), c.value(from), c.elements(c.shape_of(s.node)) * sizeof(float));
}

void run_cache(context& c, const step& s) {
  const int from = c.graph.operand(s.node, 0);
  const shape& x = c.shape_of(from);
  const size_t width = c.size(x[-1]), count = c.size(x[-2]) * width, batches = c.elements(x, 0, x.rank - 2);
  const size_t stride = c.state_of(s.node).rows * width;
  float* to = c.state(s.node) + static_cast<size_t>(c.before) * width;
  const float* value = c.value(from);
  for (size_t b = 0; b < batches; ++b) std::memcpy(to + b * stride, value + b * count, count * sizeof(float));
}

void run_position(context& c, const step& s) {
  *reinterpret_cast<std::int32_t*>(c.result(s.node)) = static_cast<std::int32_t>(c.before);
}

} // namespace fovea::simd
