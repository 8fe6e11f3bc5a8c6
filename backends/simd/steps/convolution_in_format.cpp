// A convolution by weights in a format: what its windows see are rows of a product by these, read where they lie if
// they do in one piece, else copied, some at a time.

#include <algorithm>
#include <cstring>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/kernels/window_places.hpp>
#include <fovea/backends/simd/steps.hpp>
#include <fovea/backends/simd/steps/windows.hpp>

namespace fovea::core::simd {

namespace {

constexpr size_t cache_line = 16; // floats
constexpr size_t most_copied =
    1 << 20; // floats of rows that are multiplied together: weights are decoded once for them
constexpr size_t rows_of_a_task = 16; // that are listed or copied

const packed_panels& weights_of(const context& c, int id) {
  return c.packed(fixed_weight(c.graph, id), false);
}

/// What the windows of a convolution see, as rows.
class window_rows {
public:
  window_rows(const context& c, int id) {
    const int left = c.graph.operand(id, 0);
    const sliding_window& w = c.graph.window_of(id);
    const plane_sizes in(c, c.shape_of(left), w.axes), out(c, c.shape_of(id), w.axes);
    x_ = c.value(left);
    plane_ = c.plane_of(left, in.axis[0] * in.axis[1] * in.features);
    features_ = in.features;
    for (int axis : {0, 1}) axes_[axis] = axis_of(in.axis[axis], out.axis[axis], phase_of(w, axis, false, 0));
    count_ = out.planes * out.axis[0] * out.axis[1];
  }

  size_t count() const { return count_; }
  size_t depth() const { return axes_[0].taps * axes_[1].taps * features_; }

  /// Where rows [first, last) begin: in the input, or in `copies`.
  void list(size_t first, size_t last, const float** starts, float* copies) const {
    detail::window_place at(axes_, first);
    for (size_t row = first; row < last; ++row, ++starts, copies += depth(), at.next(axes_)) {
      *starts = is_in_one_piece(at) ? seen(at, 0, 0) : copies;
      if (*starts == copies) copy(at, copies);
    }
  }

private:
  bool is_in_one_piece(const detail::window_place& at) const {
    return axes_[0].taps == 1 && (axes_[1].taps == 1 || axes_[1].tap_step == 1) &&
           detail::whole_inside(axes_[0], at.line) && detail::whole_inside(axes_[1], at.place);
  }
  /// The features that a tap sees, null outside.
  const float* seen(const detail::window_place& at, size_t line_tap, size_t tap) const {
    const std::ptrdiff_t x = detail::position(axes_[1], at.place, tap);
    const float* line = line_of(at, line_tap);
    return line == nullptr || !detail::inside(axes_[1], x) ? nullptr
                                                           : line + static_cast<size_t>(x) * features_;
  }
  /// The line of the plane that a tap of the height sees, null outside.
  const float* line_of(const detail::window_place& at, size_t line_tap) const {
    const std::ptrdiff_t y = detail::position(axes_[0], at.line, line_tap);
    if (!detail::inside(axes_[0], y)) return nullptr;
    return x_ + at.plane * plane_ + static_cast<size_t>(y) * axes_[1].in * features_;
  }
  void copy(const detail::window_place& at, float* to) const {
    for (size_t line_tap = 0; line_tap < axes_[0].taps; ++line_tap, to += axes_[1].taps * features_)
      if (axes_[1].tap_step == 1)
        copy_line(line_of(at, line_tap), detail::position(axes_[1], at.place, 0), to);
      else
        for (size_t tap = 0; tap < axes_[1].taps; ++tap)
          copy_piece(seen(at, line_tap, tap), 1, to + tap * features_);
  }
  /// Neighbours from position `first` of a line on: those inside lie in one piece.
  void copy_line(const float* line, std::ptrdiff_t first, float* to) const {
    const auto taps = static_cast<std::ptrdiff_t>(axes_[1].taps),
               begin = std::clamp<std::ptrdiff_t>(-first, 0, taps),
               end =
                   std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(axes_[1].in) - first, begin, taps);
    const auto place = [&](std::ptrdiff_t tap) { return to + static_cast<size_t>(tap) * features_; };
    copy_piece(nullptr, begin, to);
    if (end > begin)
      copy_piece(line == nullptr ? nullptr : line + static_cast<size_t>(first + begin) * features_,
                 end - begin, place(begin));
    copy_piece(nullptr, taps - end, place(end));
  }
  /// Zeros where `from` is null.
  void copy_piece(const float* from, std::ptrdiff_t positions, float* to) const {
    const size_t bytes = static_cast<size_t>(positions) * features_ * sizeof(float);
    if (from != nullptr)
      std::memcpy(to, from, bytes);
    else
      std::memset(to, 0, bytes);
  }

  const float* x_;
  size_t plane_, features_, count_; // plane_: floats from one to the next
  window_axis axes_[2];
};

/// Memory for the rows that are multiplied together, and how many of them make all groups as large.
struct row_memory {
  size_t most, rows, list_floats, copied_floats;

  explicit row_memory(const window_rows& all)
      : most(std::min(all.count(), std::max(most_copied / all.depth(), 2 * rows_of_a_task))),
        list_floats((most * sizeof(const float*) / sizeof(float) + cache_line - 1) / cache_line * cache_line),
        copied_floats((most * all.depth() + cache_line - 1) / cache_line * cache_line) {
    const size_t groups = most == 0 ? 1 : (all.count() + most - 1) / most;
    rows = (all.count() + groups - 1) / groups;
  }
  size_t floats() const { return list_floats + copied_floats; }
};

/// The product of `rows` rows by all weights.
product_args product_of(const context& c, const product_part& part, size_t rows, size_t depth,
                        const float* const* starts) {
  return {.rows = rows,
          .depth = depth,
          .parts = &part,
          .part_count = 1,
          .row_starts = starts,
          .from_memory = c.weights_in_memory,
          .threads = c.pool.size()};
}

product_part part_of(const context& c, int root) {
  const int id = c.plan.product[root];
  const node& n = c.graph.at(id);
  const packed_panels& weights = weights_of(c, id);
  product_part part{.panels = weights.data, .format = weights.format};
  part.columns = part.out_stride = part.other_stride = c.size(n.shape[-1]);
  if (n.operand_count > 2) part.bias = c.value(c.graph.operand(id, 2));
  part.out = c.result(root);
  part.act = c.plan.activation[root];
  part.join = c.plan.join[root];
  if (part.join != op::none) part.other = c.value(c.plan.other[root]);
  return part;
}

} // namespace

bool is_in_format(const context& c, int root) {
  const int id = c.plan.product[root];
  return c.products.of(id) == nullptr && weights_of(c, id).format != weight_format::f32;
}

size_t in_format_scratch(const context& c, int root) {
  const window_rows all(c, c.plan.product[root]);
  const row_memory memory(all);
  const product_part part = part_of(c, root);
  return memory.floats() + multiply_scratch(c, product_of(c, part, memory.most, all.depth(), nullptr));
}

void run_in_format(context& c, int root, int of) {
  const window_rows all(c, c.plan.product[root]);
  if (all.count() == 0) return;
  const row_memory memory(all);
  const auto starts = reinterpret_cast<const float**>(c.shared_scratch());
  float* const copies = c.shared_scratch() + memory.list_floats;
  product_part part = part_of(c, root);
  const std::int64_t work = c.work;
  for (size_t first = 0; first < all.count(); first += memory.rows) {
    const size_t rows = std::min(memory.rows, all.count() - first);
    c.work = work * static_cast<std::int64_t>(rows) / static_cast<std::int64_t>(all.count()) / of;
    c.run((rows + rows_of_a_task - 1) / rows_of_a_task, [&](size_t begin, size_t end, size_t) {
      const size_t from = begin * rows_of_a_task, until = std::min(end * rows_of_a_task, rows);
      all.list(first + from, first + until, starts + from, copies + from * all.depth());
    });
    multiply(c, product_of(c, part, rows, all.depth(), starts), c.shared_scratch() + memory.floats());
    part.out += rows * part.out_stride;
    if (part.other != nullptr) part.other += rows * part.other_stride;
  }
  c.work = work;
}

} // namespace fovea::core::simd
