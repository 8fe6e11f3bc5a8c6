#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

namespace {

frame_args frames_of(const context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int from = c.graph.operand(s.node, 0), window = c.graph.operand(s.node, 1),
            turns = c.graph.operand(s.node, 2);
  const shape &x = c.shape_of(from), &rows = is_transposed(n.kind) ? n.shape : x,
              &spectra = is_transposed(n.kind) ? x : n.shape;
  return {.x = c.value(from),
          .out = c.result(s.node),
          .planes = c.elements(x, 0, x.rank - 2),
          .x_plane = c.plane_of(from, c.size(x[-2]) * c.size(x[-1])),
          .frames = c.size(spectra[-2]),
          .rows = c.size(rows[-2]),
          .hop = c.size(rows[-1]),
          .before = static_cast<size_t>(c.graph.window_of(s.node).before[1]),
          .width = c.size(c.shape_of(window)[0]),
          .points = c.size(c.shape_of(turns)[0]) / 2,
          .first = static_cast<size_t>(n.settings.window.first),
          .window = c.value(window),
          .turns = c.value(turns)};
}

const scratch_kernel<frame_args>& kernel_of(const context& c, const step& s) {
  return is_transposed(c.graph.at(s.node).kind) ? *c.kernels.stft_transposed : *c.kernels.stft;
}

} // namespace

void run_stft(context& c, const step& s) { c.run(kernel_of(c, s), frames_of(c, s)); }

scratch_floats stft_scratch(context& c, const step& s) { return {kernel_of(c, s).scratch(frames_of(c, s))}; }

} // namespace fovea::core::simd
