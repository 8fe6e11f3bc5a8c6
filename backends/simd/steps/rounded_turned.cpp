#include <algorithm>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>
#include <fovea/weights/panel_layout.hpp>

// a^T b of numbers rounded to bfloat16, by the product that rounds its rows: b is packed as its weights are, some
// columns and a piece of the depth at a time, and a's columns become its rows. Where that product is float32's, both
// are rounded in float32 instead.

namespace fovea::core::simd {

namespace {

constexpr weight_format bfloats = format_named<bf16_products>;

/// A piece of b, for the second-level cache, and how many of a's columns are a task.
struct piece_sizes {
  size_t rows, columns, depth;

  explicit piece_sizes(const turned_product_args& a)
      : rows(a.rows >= 768 ? 96 : 48), columns(std::min<size_t>(a.columns, 2048)),
        depth(std::min<size_t>(a.depth, 512)) {}
};

size_t panels_floats(const context& c, const piece_sizes& piece) {
  const size_t panel = c.kernels.set.panel;
  return (piece.columns + panel - 1) / panel * panel_bytes(bfloats, panel, piece.depth) / sizeof(float);
}

/// A task's part of the product: rows of out from `row` on.
struct task {
  const turned_product_args& all; // a piece of them
  size_t row, rows;
  bool add;
  const float* right; // b's piece, packed or rounded
  float* scratch;
};

void multiply_in_bfloat(const context& c, const task& t) {
  const turned_product_args& a = t.all;
  const turn_args turn{.x = a.a + t.row,
                       .out = t.scratch,
                       .rows = a.depth,
                       .columns = t.rows,
                       .x_row = a.a_row,
                       .out_row = a.depth};
  c.kernels.turn->run(turn, 0, c.kernels.turn->tasks(turn));
  product_part part{.panels = t.right,
                    .columns = a.columns,
                    .out = a.out + t.row * a.out_row,
                    .out_stride = a.out_row,
                    .format = bfloats};
  if (t.add) part.other = part.out, part.other_stride = part.out_stride, part.join = op::add;
  const product_args args{
      .a = t.scratch, .rows = t.rows, .depth = a.depth, .a_stride = a.depth, .parts = &part, .part_count = 1};
  const rounding_kernel& kernel = *c.kernels.bf16_product;
  if (kernel.passes != nullptr && kernel.passes->are_faster(args)) {
    float* const rounded = t.scratch + (t.rows * a.depth + 15) / 16 * 16;
    kernel.passes->round(args, 0, kernel.passes->round_tasks(args), rounded);
    kernel.passes->product(args, 0, kernel.passes->product_tasks(args), rounded);
  } else {
    kernel.run(args, 0, kernel.tasks(args));
  }
}

void multiply_in_float(const context& c, const task& t) {
  turned_product_args a = t.all;
  const bfloat_round_args left{.x = a.a + t.row,
                               .out = t.scratch,
                               .rows = a.depth,
                               .columns = t.rows,
                               .x_row = a.a_row,
                               .out_row = t.rows};
  c.kernels.round_bfloats->run(left, 0, a.depth);
  a.a = t.scratch, a.a_row = a.rows = t.rows;
  a.b = t.right, a.b_row = a.columns;
  a.out += t.row * a.out_row;
  a.add = t.add;
  c.kernels.turned_product->run(a, 0, c.kernels.turned_product->tasks(a),
                                t.scratch + (t.rows * a.depth + 15) / 16 * 16);
}

/// Leaves b's piece as the tasks read it, in the memory of all.
void prepare_right(const context& c, const turned_product_args& a) {
  float* const to = c.shared_scratch();
  if (!c.kernels.bf16_product->in_float32)
    c.run(*c.kernels.pack_bfloats, bfloat_pack_args{.b = a.b,
                                                    .rows = a.depth,
                                                    .columns = a.columns,
                                                    .row = a.b_row,
                                                    .of_columns = reinterpret_cast<unsigned char*>(to)});
  else
    c.run(*c.kernels.round_bfloats, bfloat_round_args{.x = a.b,
                                                      .out = to,
                                                      .rows = a.depth,
                                                      .columns = a.columns,
                                                      .x_row = a.b_row,
                                                      .out_row = a.columns});
}

} // namespace

scratch_floats rounded_turned_scratch(const context& c, const turned_product_args& a) {
  const piece_sizes piece(a);
  const size_t left = (piece.rows * piece.depth + 15) / 16 * 16;
  if (c.kernels.bf16_product->in_float32)
    return {left + c.kernels.turned_product->scratch(a), piece.columns * piece.depth};
  const product_part part{.columns = piece.columns, .format = bfloats};
  const product_args args{.rows = piece.rows, .depth = piece.depth, .parts = &part, .part_count = 1};
  return {left + multiply_scratch(c, args), panels_floats(c, piece)};
}

void run_rounded_turned(const context& c, const turned_product_args& a) {
  const piece_sizes piece(a);
  const auto multiply = c.kernels.bf16_product->in_float32 ? multiply_in_float : multiply_in_bfloat;
  if (a.sums != nullptr)
    c.run(*c.kernels.reduce,
          reduce_args{.by = op::sum, .x = a.a, .out = a.sums, .outer = 1, .count = a.depth, .inner = a.rows});
  if (a.depth == 0)
    for (size_t r = 0; r < a.rows; ++r) std::fill_n(a.out + r * a.out_row, a.columns, 0.f);
  for (size_t column = 0; column < a.columns; column += piece.columns)
    for (size_t k = 0; k < a.depth; k += piece.depth) {
      turned_product_args now = a;
      now.columns = std::min(piece.columns, a.columns - column);
      now.depth = std::min(piece.depth, a.depth - k);
      now.a += k * a.a_row, now.b += k * a.b_row + column, now.out += column;
      now.sums = nullptr;
      prepare_right(c, now);
      c.run((a.rows + piece.rows - 1) / piece.rows, [&](size_t first, size_t last, size_t thread) {
        for (size_t i = first; i < last; ++i) {
          const size_t row = i * piece.rows;
          multiply(c, {.all = now,
                       .row = row,
                       .rows = std::min(piece.rows, a.rows - row),
                       .add = k > 0,
                       .right = c.shared_scratch(),
                       .scratch = c.scratch_of(thread)});
        }
      });
    }
}

} // namespace fovea::core::simd
