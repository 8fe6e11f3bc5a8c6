#include "kernel_sets.hpp"
#include <catch2/catch.hpp>

using namespace fovea::core::simd;

namespace {

/// Whether each float of the packed form is the one that the contract names.
bool packed_right(const kernel_table& table, std::size_t columns, std::size_t depth,
                  std::size_t column_stride, std::size_t depth_stride, std::size_t shift) {
  std::mt19937 random(3);
  const auto b = random_floats(shift + columns * column_stride + depth * depth_stride, random);
  const std::size_t count = panel_floats(table.set.panel, columns, depth);
  aligned_floats panels(count + 16, 99.f);
  const pack_args args{b.data() + shift, columns, depth, column_stride, depth_stride, panels.data()};
  // Task by task, the last first: tasks do not depend on each other.
  for (std::size_t task = table.pack->tasks(args); task-- > 0;) table.pack->run(args, task, task + 1);
  for (std::size_t p = 0; p * table.set.panel < columns; ++p)
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t j = 0; j < table.set.panel; ++j) {
        const std::size_t column = p * table.set.panel + j;
        const float expected = column < columns ? b[shift + column * column_stride + k * depth_stride] : 0.f;
        if (panels[(p * depth + k) * table.set.panel + j] != expected) return false;
      }
  for (std::size_t i = count; i < count + 16; ++i)
    if (panels[i] != 99.f) return false;
  return true;
}

} // namespace

TEST_CASE("packing puts every weight in its panel") {
  for (const auto* table : kernel_sets())
    for (std::size_t columns = 1; columns <= 2 * table->set.panel + 1; ++columns)
      for (const std::size_t depth : {1u, 2u, 3u, 4u, 5u, 15u, 16u, 17u, 33u}) {
        CAPTURE(table->set.name, columns, depth);
        CHECK(packed_right(*table, columns, depth, depth, 1, columns % 4));     // [columns, depth]
        CHECK(packed_right(*table, columns, depth, depth + 3, 1, columns % 4)); // the same with gaps
        CHECK(packed_right(*table, columns, depth, 1, columns, depth % 4));     // [depth, columns]
        CHECK(packed_right(*table, columns, depth, 2 * depth, 2, 1));           // every other float
      }
}
