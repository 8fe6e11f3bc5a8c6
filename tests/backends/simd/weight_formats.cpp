// Products and gathers of weights in every format: bit for bit what float32 weights of the rounded values
// give.

#include "kernel_sets.hpp"
#include <algorithm>
#include <catch2/catch.hpp>
#include <fovea/backends/simd/format_code.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/weights/from_floats.hpp>

using namespace fovea::core::simd;
using fovea::core::in_format_panels;
using fovea::core::is_k;
using fovea::core::thread_pool;
using fovea::core::weight_format;

namespace {

/// All but f32.
std::vector<weight_format> narrow_formats() {
  std::vector<weight_format> made;
  fovea::core::all_formats::each([&]<class format>(format) {
    if (fovea::core::format_named<format> != weight_format::f32)
      made.push_back(fovea::core::format_named<format>);
  });
  return made;
}

/// A matrix [columns, depth], rounded to a format: as its panels, and as float32 in panels and plain.
struct rounded_matrix {
  std::vector<float> values;
  fovea::core::packed panels;
  aligned_floats plain_panels;

  rounded_matrix(const kernel_table& table, weight_format format, std::size_t columns, std::size_t depth,
                 std::mt19937& random)
      : values(random_floats(columns * depth, random)), panels(0),
        plain_panels(panel_floats(table.set.panel, columns, depth)) {
    thread_pool pool(2);
    panels =
        in_format_panels(format, {values.data(), values.size()}, columns, depth, table.set.panel, pool, "w");
    fovea::core::round_rows(format, depth, values);
    const pack_args packing{values.data(), columns, depth, depth, 1, plain_panels.data()};
    table.pack->run(packing, 0, table.pack->tasks(packing));
  }
};

std::vector<float> multiplied(const kernel_table& table, product_part part, const std::vector<float>& a,
                              std::size_t rows, std::size_t depth, std::size_t threads) {
  std::vector<float> out(rows * part.columns, 9.f);
  part.out = out.data(), part.out_stride = part.columns;
  const product_args args{
      .a = a.data(), .rows = rows, .depth = depth, .a_stride = depth, .parts = &part, .part_count = 1};
  thread_pool pool(threads);
  const auto& kernel = is_k(part.format) ? *table.decoded_k_product : *table.decoded_product;
  pool.run(kernel.tasks(args),
           [&](std::size_t first, std::size_t last, std::size_t) { kernel.run(args, first, last); });
  return out;
}

void check(const kernel_table& table, std::size_t rows, std::size_t columns, std::size_t depth) {
  std::mt19937 random(static_cast<unsigned>(rows + 31 * columns + 1009 * depth));
  const auto a = random_floats(rows * depth, random), bias = random_floats(columns, random);
  for (const weight_format format : narrow_formats()) {
    if (fovea::core::rounds_rows(format)) continue;
    CAPTURE(table.set.name, fovea::core::name_of(format), rows, columns, depth);
    rounded_matrix w(table, format, columns, depth, random);
    const product_part coded{.panels = w.panels.data(),
                             .columns = columns,
                             .bias = bias.data(),
                             .act = fovea::core::op::relu,
                             .format = format};
    product_part plain = coded;
    plain.panels = w.plain_panels.data(), plain.format = weight_format::f32;
    const auto expected = multiplied(table, plain, a, rows, depth, 1);
    for (const std::size_t threads : {1u, 3u})
      CHECK(multiplied(table, coded, a, rows, depth, threads) == expected);
  }
}

} // namespace

TEST_CASE("a product by weights in a format is that by their values") {
  for (const auto* table : kernel_sets()) {
    for (std::size_t rows = 1; rows <= 18; ++rows) check(*table, rows, 2 * table->set.panel + 3, 70);
    for (std::size_t depth = 1; depth <= 67; ++depth) check(*table, 1 + depth % 4, table->set.panel, depth);
    for (std::size_t columns = 1; columns <= 4 * table->set.panel + 1; ++columns)
      check(*table, 1 + columns % 3, columns, 37);
    check(*table, 131, 101, 257);
    for (const std::size_t depth : {255u, 256u, 257u, 300u, 512u, 600u})
      check(*table, 1 + depth % 7, table->set.panel + 3, depth); // of one and of several K blocks
    for (const std::size_t depth : {513u, 1100u, 1537u})
      check(*table, 45, 2 * table->set.panel + 3, depth); // in pieces
  }
}

TEST_CASE("gather reads rows of a table that is kept in a format") {
  std::mt19937 random(6);
  for (const auto* table : kernel_sets())
    for (const weight_format format : narrow_formats())
      for (const std::size_t width : {1u, 31u, 32u, 53u, 96u, 300u}) {
        CAPTURE(table->set.name, fovea::core::name_of(format), width);
        const std::size_t vocabulary = 2 * table->set.panel + 5;
        rounded_matrix w(*table, format, vocabulary, width, random);
        std::vector<std::int32_t> ids;
        for (std::size_t i = 0; i < vocabulary; ++i)
          ids.push_back(static_cast<std::int32_t>(vocabulary - 1 - i));
        std::vector<float> out(vocabulary * width), expected(vocabulary * width);
        const gather_args args{.table = w.panels.data(),
                               .paneled = true,
                               .width = width,
                               .rows = ids.size(),
                               .ids = ids.data(),
                               .out = out.data(),
                               .out_stride = width,
                               .format = format};
        const auto& kernel = is_k(format) ? *table->gather_in_k_format : *table->gather_in_format;
        kernel.run(args, 0, kernel.tasks(args));
        for (std::size_t i = 0; i < ids.size(); ++i)
          std::copy_n(w.values.begin() + ids[i] * static_cast<std::ptrdiff_t>(width), width,
                      expected.begin() + static_cast<std::ptrdiff_t>(i * width));
        CHECK(out == expected);
      }
}
