#include "kernel_sets.hpp"
#include <catch2/catch.hpp>
#include <cmath>
#include <fovea/backends/exact.hpp>
#include <fovea/base/threads.hpp>
#include <limits>

using namespace fovea::core::simd;
using fovea::core::op;
using fovea::core::thread_pool;

namespace {

constexpr float untouched = 12345.f;

double activated(op act, double x) { return act == op::none ? x : fovea::core::exact::unary(act)(x); }

struct part_case {
  std::size_t columns;
  bool bias = false;
  op act = op::none;
  op join = op::none;
};

struct product_case {
  std::size_t rows, depth;
  std::vector<part_case> parts;
  bool ids = false;
  std::size_t threads = 1, a_shift = 0, out_shift = 0, stride_gap = 0;
  bool other_is_out = false, backward = false;
};

/// One product with all of its operands, random from a fixed seed.
struct product_run {
  struct part_data {
    std::vector<float> weights, bias, other, out;
    aligned_floats panels;
  };
  std::vector<float> a;
  std::vector<std::int32_t> ids;
  std::vector<part_data> parts;

  product_run(const kernel_table& table, const product_case& c, const kernel<product_args>& product) {
    std::mt19937 random(7);
    const std::size_t a_rows = c.ids ? c.rows + 5 : c.rows, a_stride = c.depth + c.stride_gap;
    a = random_floats(c.a_shift + a_rows * a_stride, random);
    if (c.ids)
      for (std::size_t i = 0; i < c.rows; ++i) ids.push_back(static_cast<std::int32_t>(random() % a_rows));
    std::vector<product_part> described;
    for (const part_case& p : c.parts) {
      const std::size_t stride = p.columns + c.stride_gap;
      part_data& d = parts.emplace_back(
          part_data{random_floats(p.columns * c.depth, random), random_floats(p.columns, random),
                    random_floats(c.rows * stride, random),
                    std::vector<float>(c.out_shift + c.rows * stride + 64, untouched),
                    aligned_floats(panel_floats(table.set.panel, p.columns, c.depth), untouched)});
      const pack_args packing{d.weights.data(), p.columns, c.depth, c.depth, 1, d.panels.data()};
      table.pack->run(packing, 0, table.pack->tasks(packing));
      if (c.other_is_out)
        std::copy(d.other.begin(), d.other.end(), d.out.begin() + static_cast<std::ptrdiff_t>(c.out_shift));
      described.push_back({d.panels.data(), p.columns, p.bias ? d.bias.data() : nullptr,
                           d.out.data() + c.out_shift, stride,
                           p.join == op::none ? nullptr
                           : c.other_is_out   ? d.out.data() + c.out_shift
                                              : d.other.data(),
                           stride, p.act, p.join});
    }
    const product_args args{.a = a.data() + c.a_shift,
                            .rows = c.rows,
                            .depth = c.depth,
                            .a_stride = a_stride,
                            .ids = c.ids ? ids.data() : nullptr,
                            .parts = described.data(),
                            .part_count = described.size(),
                            .backward = c.backward,
                            .threads = c.threads};
    thread_pool pool(std::min<std::size_t>(c.threads, 5)); // more change the tasks alone
    pool.run(product.tasks(args), std::numeric_limits<std::int64_t>::max(),
             [&](std::size_t first, std::size_t last, std::size_t) { product.run(args, first, last); },
             {.backward = c.backward});
  }

  /// The largest error over what float32 sums of `depth` terms allow; infinite when anything else was
  /// written.
  double error(const product_case& c) const {
    double worst = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const part_case& expected = c.parts[p];
      const part_data& d = parts[p];
      const std::size_t stride = expected.columns + c.stride_gap;
      for (std::size_t i = 0; i < c.rows; ++i) {
        const std::size_t row = c.ids ? static_cast<std::size_t>(ids[i]) : i;
        for (std::size_t j = 0; j < expected.columns; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < c.depth; ++k)
            sum += static_cast<double>(a[c.a_shift + row * (c.depth + c.stride_gap) + k]) *
                   static_cast<double>(d.weights[j * c.depth + k]);
          if (expected.bias) sum += static_cast<double>(d.bias[j]);
          double value = activated(expected.act, sum);
          const auto other = static_cast<double>(d.other[i * stride + j]);
          if (expected.join == op::add) value += other;
          if (expected.join == op::multiply) value *= other;
          const auto got = static_cast<double>(d.out[c.out_shift + i * stride + j]);
          const double allowed = 1e-6 + 1e-7 * static_cast<double>(c.depth);
          if (!(std::abs(got - value) <= 1e30)) return std::numeric_limits<double>::infinity();
          worst = std::max(worst, std::abs(got - value) / allowed);
        }
      }
      const auto gap_kept = [&](std::size_t i) {
        const std::size_t at = i - c.out_shift;
        const bool inside = i >= c.out_shift && at < c.rows * stride && at % stride < expected.columns;
        const bool copied = c.other_is_out && i >= c.out_shift && at < c.rows * stride;
        return inside || d.out[i] == (copied ? d.other[at] : untouched);
      };
      for (std::size_t i = 0; i < d.out.size(); ++i)
        if (!gap_kept(i)) return std::numeric_limits<double>::infinity();
    }
    return worst;
  }
};

void check(const kernel_table& table, const product_case& c) {
  CAPTURE(table.set.name, c.rows, c.depth, c.parts[0].columns, c.a_shift, c.out_shift, c.stride_gap);
  const product_run run(table, c, *table.product), small(table, c, *table.small_product);
  CHECK(run.error(c) <= 1);
  for (std::size_t p = 0; p < c.parts.size(); ++p) CHECK(small.parts[p].out == run.parts[p].out);
}

constexpr std::size_t largest_block = 12;

} // namespace

TEST_CASE("a product agrees with the formula for every number of rows and columns") {
  for (const auto* table : kernel_sets())
    for (std::size_t rows = 1; rows <= 2 * largest_block + 1; ++rows)
      for (std::size_t columns = 1; columns <= 2 * table->set.panel + 1; ++columns)
        check(*table, {.rows = rows, .depth = 7, .parts = {{columns, true}}});
}

TEST_CASE("a product agrees with the formula at every depth") {
  for (const auto* table : kernel_sets())
    for (std::size_t depth = 1; depth <= 70; ++depth)
      for (const std::size_t rows : {1u, 2u, 3u, 5u, 17u})
        check(*table, {.rows = rows, .depth = depth, .parts = {{2 * table->set.panel + 3}}});
}

TEST_CASE("deep and wide products are split and still agree") {
  for (const auto* table : kernel_sets())
    for (const std::size_t rows : {1u, 4u, 31u, 97u})
      for (const std::size_t depth : {513u, 1024u, 3072u})
        check(*table, {.rows = rows, .depth = depth, .parts = {{9 * table->set.panel + 5, true}}});
}

TEST_CASE("operands and results lie anywhere, and nothing between rows is written") {
  for (const auto* table : kernel_sets())
    for (std::size_t shift = 0; shift < 5; ++shift)
      for (const std::size_t rows : {1u, 3u, 13u})
        check(*table, {.rows = rows,
                       .depth = 19,
                       .parts = {{table->set.panel + 1, true}, {table->set.panel * 2}},
                       .a_shift = shift,
                       .out_shift = 5 - shift,
                       .stride_gap = shift});
}

TEST_CASE("every activation and join") {
  std::vector<op> activations(std::begin(fovea::core::activations), std::end(fovea::core::activations));
  activations.push_back(op::none);
  for (const auto* table : kernel_sets())
    for (const op act : activations)
      for (const op join : {op::none, op::add, op::multiply})
        for (const bool bias : {false, true})
          for (const std::size_t columns : {table->set.panel, 3 * table->set.panel + 3})
            for (const std::size_t rows : {1u, 7u, 14u}) {
              CAPTURE(static_cast<int>(act), static_cast<int>(join), bias);
              check(*table, {.rows = rows, .depth = 33, .parts = {{columns, bias, act, join}}});
            }
}

TEST_CASE("the depth of many rows is summed in pieces, behind which bias, activation and join come once") {
  for (const auto* table : kernel_sets())
    for (const auto act : {op::none, op::relu})
      for (const auto join : {op::none, op::add, op::multiply})
        for (const std::size_t depth : {1537u, 2048u, 2571u}) {
          CAPTURE(static_cast<int>(act), static_cast<int>(join));
          check(*table,
                {.rows = 45,
                 .depth = depth,
                 .parts = {{2 * table->set.panel, true, act, join}, {table->set.panel + 3, true, act, join}},
                 .stride_gap = 1});
        }
}

TEST_CASE("a residual may be joined in place") {
  for (const auto* table : kernel_sets())
    for (const std::size_t rows : {1u, 7u, 40u})
      for (const std::size_t depth : {1100u, 1700u})
        check(*table, {.rows = rows,
                       .depth = depth,
                       .parts = {{3 * table->set.panel + 2, true, op::none, op::add}},
                       .stride_gap = 1,
                       .other_is_out = true});
}

TEST_CASE("several parts share the left operand") {
  for (const auto* table : kernel_sets())
    for (const std::size_t rows : {1u, 2u, 26u})
      check(*table, {.rows = rows,
                     .depth = 40,
                     .parts = {{table->set.panel * 2 + 1, true},
                               {1},
                               {table->set.panel, false, op::silu},
                               {table->set.panel * 3, true, op::none, op::multiply}}});
}

TEST_CASE("rows are gathered by their ids") {
  for (const auto* table : kernel_sets())
    for (std::size_t rows = 1; rows <= 2 * largest_block + 1; ++rows)
      check(*table, {.rows = rows,
                     .depth = 1030,
                     .parts = {{table->set.panel + 3, true}},
                     .ids = true,
                     .stride_gap = 2});
}

TEST_CASE("no rows, no tasks") {
  for (const auto* table : kernel_sets()) {
    product_part part;
    part.columns = 5;
    const product_args args{nullptr, 0, 4, 4, nullptr, &part, 1};
    CHECK(table->product->tasks(args) == 0);
  }
}

TEST_CASE("two threads share the tasks of one, and many no fewer") {
  for (const auto* table : kernel_sets()) {
    product_part part;
    part.columns = 32;
    const auto tasks = [&](std::size_t threads) {
      return table->product->tasks(
          {.rows = 512, .depth = 768, .parts = &part, .part_count = 1, .threads = threads});
    };
    CHECK(tasks(2) == tasks(1));
    CHECK(tasks(64) >= tasks(1));
  }
}

TEST_CASE("the bits of a product depend neither on threads nor on the rows beside, nor on the direction") {
  for (const auto* table : kernel_sets()) {
    for (const std::size_t rows : {1u, 5u, 9u, 16u, 129u})
      for (const std::size_t depth : {384u, 1024u, 1537u}) {
        product_case c{.rows = rows, .depth = depth, .parts = {{384, true, op::gelu}, {40}}};
        const product_run alone(*table, c, *table->product);
        for (const std::size_t threads : {1u, 2u, 3u, 5u, 64u, 128u})
          for (const bool backward : {false, true}) {
            c.threads = threads, c.backward = backward;
            const product_run shared(*table, c, *table->product);
            for (std::size_t p = 0; p < c.parts.size(); ++p) CHECK(alone.parts[p].out == shared.parts[p].out);
          }
      }
    // The weights are drawn after a, so equal sizes of a keep them equal: compare one row of many with that
    // row alone.
    for (const std::size_t depth : {200u, 3000u}) {
      const product_case many{.rows = 23, .depth = depth, .parts = {{100}}, .ids = true};
      const product_run together(*table, many, *table->product);
      const auto& part = together.parts[0];
      for (std::size_t i = 0; i < many.rows; ++i) {
        std::vector<float> out(100);
        product_part one;
        one.panels = const_cast<aligned_floats&>(part.panels).data();
        one.columns = one.out_stride = 100;
        one.out = out.data();
        const product_args args{together.a.data() + static_cast<std::size_t>(together.ids[i]) * depth,
                                1,
                                depth,
                                depth,
                                nullptr,
                                &one,
                                1};
        table->product->run(args, 0, table->product->tasks(args));
        CHECK(std::equal(out.begin(), out.end(), part.out.begin() + static_cast<std::ptrdiff_t>(i * 100)));
      }
    }
  }
}
