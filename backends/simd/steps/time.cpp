#include <cstring>

#include <fovea/backends/simd/steps.hpp>

namespace fovea::simd {

namespace {

/// A sequence as [before, time, after], and where the current step of its scan begins.
struct step_rows {
  size_t before, after, stride, first;

  step_rows(const context& c, const node& n, const shape& sequence)
      : before(c.elements(sequence, 0, n.attributes[0])),
        after(c.elements(sequence, n.attributes[0] + 1, sequence.rank)),
        stride(after * c.size(sequence[n.attributes[0]])),
        first(after * static_cast<size_t>(c.times[n.attributes[1]])) {}
};

} // namespace

void run_time_step(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int sequence = c.graph.operand(s.node, 0);
  const step_rows rows(c, n, c.shape_of(sequence));
  const float* from = c.value(sequence) + rows.first;
  float* to = c.result(s.node);
  for (size_t i = 0; i < rows.before; ++i)
    std::memcpy(to + i * rows.after, from + i * rows.stride, rows.after * sizeof(float));
}

void run_time_index(context& c, const step& s) {
  *reinterpret_cast<std::int32_t*>(c.result(s.node)) =
      static_cast<std::int32_t>(c.times[c.graph.at(s.node).attributes[1]]);
}

void run_stack(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const step_rows rows(c, n, n.shape);
  const float* from = c.value(c.graph.operand(s.node, 0));
  float* to = c.result(s.node) + rows.first;
  for (size_t i = 0; i < rows.before; ++i)
    std::memcpy(to + i * rows.stride, from + i * rows.after, rows.after * sizeof(float));
}

} // namespace fovea::simd
