#include <algorithm>
#include <cstdint>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>
#include <fovea/weights/panel_layout.hpp>

namespace fovea::core::simd {

namespace {

/// Which rows each expert multiplies. `lists` holds 2 * places numbers.
struct chosen_experts {
  const std::int32_t* which;
  size_t places, active;
  std::int32_t *place, *row; // of the rows of one expert: their places in `which`, and their rows in x

  chosen_experts(const context& c, int id, float* lists)
      : which(c.integers(id)), places(c.elements(c.shape_of(id))), active(c.size(c.shape_of(id)[-1])),
        place(reinterpret_cast<std::int32_t*>(lists)), row(place + places) {}

  void check(const node& n, size_t experts) const { check_numbers(n, "experts", {which, places}, experts); }
  /// Lists the rows of an expert, and says how many there are; `shared`: the experts of a row share one of x.
  size_t list(size_t expert, bool shared) const {
    size_t count = 0;
    for (size_t i = 0; i < places; ++i)
      if (which[i] == static_cast<std::int32_t>(expert)) {
        place[count] = static_cast<std::int32_t>(i);
        row[count++] = static_cast<std::int32_t>(shared ? i / active : i);
      }
    return count;
  }
};

constexpr size_t line = 16; // floats of a cache line

/// What the lists of chosen_experts take, in whole lines.
size_t list_floats(const context& c, int which) {
  return (2 * c.elements(c.shape_of(which)) + line - 1) / line * line;
}

bool shares_rows(const context& c, int x, int which) { return c.shape_of(x).rank == c.shape_of(which).rank; }

/// What a step multiplies: its rows by the weights of one expert after another.
struct expert_call {
  int x, weight, which;
  size_t in, out, experts;
  packed_panels packed;

  expert_call(const context& c, const step& s)
      : x(c.graph.operand(s.node, 0)), weight(c.graph.operand(s.node, 1)), which(c.graph.operand(s.node, 2)),
        in(c.size(c.shape_of(x)[-1])), out(c.size(c.shape_of(s.node)[-1])),
        experts(c.size(c.shape_of(weight)[0]) / out), packed(c.packed(weight, false)) {}

  /// The panels that hold the columns of an expert, which may begin and end inside of one.
  product_part part(const context& c, size_t expert, float* products) const {
    const size_t panel = c.kernels.set.panel, first = expert * out / panel * panel,
                 last = std::min(((expert + 1) * out + panel - 1) / panel * panel, experts * out);
    return {.panels = static_cast<const std::byte*>(packed.data) +
                      first / panel * panel_bytes(packed.format, panel, in),
            .columns = last - first,
            .out = products,
            .out_stride = last - first,
            .format = packed.format};
  }
  product_args args(const context& c, const product_part& one, size_t rows, const std::int32_t* ids) const {
    return {.a = c.value(x),
            .rows = rows,
            .depth = in,
            .a_stride = in,
            .ids = ids,
            .parts = &one,
            .part_count = 1,
            .from_memory = c.weights_in_memory,
            .threads = c.pool.size()};
  }
};

/// Rows of `width` floats, `from_stride` apart, to their places.
void put_rows(const float* from, size_t from_stride, size_t width, const std::int32_t* place, size_t count,
              float* to) {
  for (size_t i = 0; i < count; ++i)
    std::copy_n(from + i * from_stride, width, to + static_cast<size_t>(place[i]) * width);
}

void take_rows(const float* from, size_t width, const std::int32_t* place, size_t count, float* to) {
  for (size_t i = 0; i < count; ++i)
    std::copy_n(from + static_cast<size_t>(place[i]) * width, width, to + i * width);
}

} // namespace

scratch_floats expert_linear_scratch(context& c, const step& s) {
  const expert_call call(c, s);
  const product_part one = call.part(c, 0, nullptr);
  const size_t rows = c.elements(c.shape_of(call.which));
  return {.shared = list_floats(c, call.which) + multiply_scratch(c, call.args(c, one, rows, nullptr))};
}

void run_expert_linear(context& c, const step& s) {
  const expert_call call(c, s);
  const chosen_experts chosen(c, call.which, c.shared_scratch());
  chosen.check(c.graph.at(s.node), call.experts);
  const bool shared = shares_rows(c, call.x, call.which);
  const std::int64_t work = c.work;
  float* products = c.slots[s.temporary[0]];
  for (size_t e = 0; e < call.experts; ++e) {
    const size_t count = chosen.list(e, shared);
    if (count == 0) continue;
    c.work = work * static_cast<std::int64_t>(count) / static_cast<std::int64_t>(chosen.places);
    const product_part one = call.part(c, e, products);
    multiply(c, call.args(c, one, count, chosen.row), c.shared_scratch() + list_floats(c, call.which));
    put_rows(products + e * call.out % c.kernels.set.panel, one.out_stride, call.out, chosen.place, count,
             c.result(s.node));
  }
}

scratch_floats expert_gradient_scratch(context& c, const step& s) {
  return {.of_each = c.graph.at(s.node).kind == op::expert_weight_gradient
                         ? c.kernels.turned_product->scratch({})
                         : 0,
          .shared = list_floats(c, c.graph.operand(s.node, 2))};
}

void run_expert_linear_gradient(context& c, const step& s) {
  const int d = c.graph.operand(s.node, 0), weight = c.graph.operand(s.node, 1);
  const size_t out = c.size(c.shape_of(d)[-1]), in = c.size(c.shape_of(weight)[1]),
               experts = c.size(c.shape_of(weight)[0]) / out;
  const chosen_experts chosen(c, c.graph.operand(s.node, 2), c.shared_scratch());
  float *products = c.slots[s.temporary[0]], *panels = c.slots[s.temporary[1]];
  for (size_t e = 0; e < experts; ++e) {
    const size_t count = chosen.list(e, false);
    if (count == 0) continue;
    const pack_args pack{.b = c.value(weight) + e * out * in,
                         .columns = in,
                         .depth = out,
                         .column_stride = 1,
                         .depth_stride = in,
                         .panels = panels};
    c.run(*c.kernels.pack, pack);
    const product_part one{.panels = panels, .columns = in, .out = products, .out_stride = in};
    const product_args args{.a = c.value(d),
                            .rows = count,
                            .depth = out,
                            .a_stride = out,
                            .ids = chosen.place,
                            .parts = &one,
                            .part_count = 1};
    c.run(*c.kernels.product, args);
    put_rows(products, in, in, chosen.place, count, c.result(s.node));
  }
}

void run_expert_weight_gradient(context& c, const step& s) {
  const int d = c.graph.operand(s.node, 0), x = c.graph.operand(s.node, 1),
            which = c.graph.operand(s.node, 2);
  const size_t out = c.size(c.shape_of(d)[-1]), in = c.size(c.shape_of(x)[-1]),
               experts = c.size(c.shape_of(s.node)[0]) / out;
  const chosen_experts chosen(c, which, c.shared_scratch());
  const bool shared = shares_rows(c, x, which);
  float *of_d = c.slots[s.temporary[0]], *of_x = c.slots[s.temporary[1]];
  for (size_t e = 0; e < experts; ++e) {
    float* result = c.result(s.node) + e * out * in;
    const size_t count = chosen.list(e, shared);
    if (count == 0) {
      std::fill_n(result, out * in, 0.f);
      continue;
    }
    take_rows(c.value(d), out, chosen.place, count, of_d);
    take_rows(c.value(x), in, chosen.row, count, of_x);
    const turned_product_args args{.a = of_d,
                                   .b = of_x,
                                   .out = result,
                                   .rows = out,
                                   .columns = in,
                                   .depth = count,
                                   .a_row = out,
                                   .b_row = in,
                                   .out_row = in};
    c.run(*c.kernels.turned_product, args);
  }
}

} // namespace fovea::core::simd
