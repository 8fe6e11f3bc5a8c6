#pragma once

// What steps whose windows slide over positions share.

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/prepared_weights.hpp>

namespace fovea::core::simd {

/// The axes that a window slides over, of a value [..., (height,) width, features].
struct plane_sizes {
  size_t planes, axis[2], features;
  plane_sizes(const context& c, const shape& s, int axes)
      : planes(c.elements(s, 0, s.rank - 1 - axes)), axis{axes == 2 ? c.size(s[-3]) : 1, c.size(s[-2])},
        features(c.size(s[-1])) {}
};

/// Of `in` positions and `places` of the output.
inline window_axis axis_of(size_t in, size_t places, const window_phase& phase) {
  return {in, places, phase.taps, phase.step, phase.first, phase.tap_step};
}

/// Whether the convolution whose value is that of `root` has weights in another format than float32, as panels of a
/// product; it is run by what follows, of `of` convolutions that share the step's work.
bool is_in_format(const context& c, int root);
void run_in_format(context& c, int root, int of);
size_t in_format_scratch(const context& c, int root); // floats, for all threads together

} // namespace fovea::core::simd
