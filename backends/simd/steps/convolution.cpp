#include <algorithm>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/step_kernels.hpp>
#include <fovea/backends/simd/steps.hpp>
#include <fovea/backends/simd/steps/windows.hpp>

namespace fovea::core::simd {

namespace {

/// Calls f(kernel, arguments) for each phase of the convolution whose value is that of `root`.
template <class F>
void for_phases(const context& c, int root, const F& f) {
  const int id = c.plan.product[root], left = c.graph.operand(id, 0);
  const weight_layout layout(c.graph, id);
  const sliding_window& w = layout.window;
  const plane_sizes in(c, c.shape_of(left), w.axes), out(c, c.shape_of(id), w.axes);
  const prepared_product weights = c.prepared(id);
  const bool joined = c.plan.join[root] != op::none;
  const auto& kernel = layout.depthwise()                            ? *c.kernels.depthwise_convolution
                       : layout.by_tiles && w.axes == 1              ? *c.kernels.winograd_time_convolution
                       : layout.by_tiles                             ? *c.kernels.winograd_convolution
                       : is_small_convolution(c.graph, c.plan, root) ? *c.kernels.small_convolution
                                                                     : *c.kernels.convolution;
  const float* next = weights.weights;
  const int phases[2] = {phases_of(w, 0, layout.transposed), phases_of(w, 1, layout.transposed)};
  const auto count = [&](int axis, int remainder) {
    const auto n = static_cast<size_t>(phases[axis]);
    return (out.axis[axis] + n - 1 - static_cast<size_t>(remainder)) / n;
  };
  for (int ry = 0; ry < phases[0]; ++ry)
    for (int rx = 0; rx < phases[1]; ++rx) {
      const int remainder[2] = {ry, rx};
      convolution_args args{.x = c.value(left),
                            .planes = in.planes,
                            .x_plane = c.plane_of(left, in.axis[0] * in.axis[1] * in.features),
                            .groups = layout.groups,
                            .depth = layout.in,
                            .columns = layout.out,
                            .largest = c.plan.largest[root],
                            .weights = next,
                            .bias = weights.bias,
                            .act = c.plan.activation[root],
                            .join = c.plan.join[root],
                            .threads = c.pool.size()};
      for (int axis : {0, 1})
        args.axis[axis] = axis_of(in.axis[axis], count(axis, remainder[axis]),
                                  phase_of(w, axis, layout.transposed, remainder[axis]));
      const auto line = out.axis[1] * out.features;
      const size_t begin = static_cast<size_t>(ry) * line + static_cast<size_t>(rx) * out.features;
      args.out_place = static_cast<size_t>(phases[1]) * out.features;
      args.out_line = static_cast<size_t>(phases[0]) * line;
      args.out_plane = args.largest ? out.features : out.axis[0] * line;
      args.out = c.result(root) + begin;
      if (joined) args.other = c.value(c.plan.other[root]) + begin;
      next += layout.phase_floats(args.axis[0].taps * args.axis[1].taps, c.kernels.set.panel);
      if (args.axis[0].places > 0 && args.axis[1].places > 0) f(kernel, args);
    }
}

template <class F>
void for_phases(const context& c, const step& s, const F& f) {
  for (int i = 0; i < s.count; ++i)
    if (const int root = c.plan.parts[s.first + i]; !is_in_format(c, root)) for_phases(c, root, f);
}

using convolution_kernel = scratch_kernel<convolution_args>;

/// Convolutions of few tasks each, which threads share evenly only together. Others run at once, for a thread
/// finds its part of what several of them read in its cache.
class joined_convolutions {
public:
  explicit joined_convolutions(const context& c) : c_(c) {}

  void add(const convolution_kernel& kernel, const convolution_args& args) {
    const size_t before = count_ == 0 ? 0 : ends_[count_ - 1];
    const size_t together = kernel.together(args);
    together_ = count_ == 0 || together == together_ ? together : 1;
    kernels_[count_] = &kernel, args_[count_] = args;
    ends_[count_++] = before + kernel.tasks(args);
    if (count_ == most || ends_[count_ - 1] >= enough_tasks) run();
  }
  void run() {
    if (count_ == 0) return;
    c_.run(
        ends_[count_ - 1],
        [this](size_t first, size_t last, size_t thread) {
          size_t begin = 0;
          for (size_t i = 0; first < last; begin = ends_[i++]) {
            const size_t end = std::min(last, ends_[i]);
            if (first >= end) continue;
            kernels_[i]->run(args_[i], first - begin, end - begin, c_.scratch_of(thread));
            first = end;
          }
        },
        task_order{.together = together_});
    count_ = 0;
  }

private:
  static constexpr size_t most = 16, enough_tasks = 32;
  const context& c_;
  const convolution_kernel* kernels_[most];
  convolution_args args_[most];
  size_t ends_[most], count_ = 0; // one past the last task of each
  size_t together_ = 1;
};

} // namespace

void run_convolution(context& c, const step& s) {
  for (int i = 0; i < s.count; ++i)
    if (const int root = c.plan.parts[s.first + i]; is_in_format(c, root)) run_in_format(c, root, s.count);
  const bool of_one_phase = !is_transposed(c.graph.at(c.plan.product[c.plan.parts[s.first]]).kind);
  if (s.count == 1 && of_one_phase)
    return for_phases(c, s, [&](const auto& kernel, const auto& args) { c.run(kernel, args); });
  joined_convolutions all(c);
  for_phases(c, s, [&](const auto& kernel, const auto& args) { all.add(kernel, args); });
  all.run();
}

scratch_floats convolution_scratch(context& c, const step& s) {
  scratch_floats most;
  for_phases(c, s, [&](const auto& kernel, const auto& args) {
    most.of_each = std::max(most.of_each, kernel.scratch(args));
  });
  for (int i = 0; i < s.count; ++i)
    if (const int root = c.plan.parts[s.first + i]; is_in_format(c, root))
      most.shared = std::max(most.shared, in_format_scratch(c, root));
  return most;
}

void run_pool(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const sliding_window& w = c.graph.window_of(s.node);
  const int from = c.graph.operand(s.node, 0);
  const plane_sizes in(c, c.shape_of(from), w.axes), out(c, n.shape, w.axes);
  pool_args args{.x = c.value(from),
                 .out = c.result(s.node),
                 .planes = in.planes,
                 .x_plane = c.plane_of(from, in.axis[0] * in.axis[1] * in.features),
                 .width = in.features,
                 .mean = n.kind == op::avg_pool,
                 .count_padding = n.settings.window.count_padding};
  for (int axis : {0, 1}) {
    args.axis[axis] = axis_of(in.axis[axis], out.axis[axis], phase_of(w, axis, false, 0));
    args.counted[axis] = static_cast<std::ptrdiff_t>(in.axis[axis]) + w.after[axis];
  }
  c.run(*c.kernels.pool, args);
}

} // namespace fovea::core::simd
