#include "kernel_sets.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <fovea/base/half.hpp>
#include <fovea/weights/panel_layout.hpp>
#include <limits>

using namespace fovea::core::simd;

namespace {

constexpr auto bfloats = fovea::core::format_named<fovea::bf16_products>;

/// Whether panels hold value(column, k) rounded, and zeros behind the last of both.
template <class F>
bool holds(const std::vector<unsigned char>& panels, std::size_t panel, std::size_t columns,
           std::size_t depth, const F& value) {
  using layout = fovea::core::panel_layout<bfloats>;
  const std::size_t bytes = layout::bytes(panel, depth);
  for (std::size_t column = 0; column < (columns + panel - 1) / panel * panel; ++column)
    for (std::size_t k = 0; k < bytes / panel / 2; ++k) {
      std::uint16_t found;
      std::memcpy(&found, panels.data() + column / panel * bytes + layout::place(panel, k, column % panel),
                  sizeof found);
      if (found != (column < columns && k < depth ? fovea::core::to_bfloat(value(column, k)) : 0))
        return false;
    }
  return true;
}

} // namespace

TEST_CASE("packing in bfloat16 puts every weight in both its panels", "[plain]") {
  std::mt19937 random(3);
  for (const auto* table : kernel_sets()) {
    const std::size_t panel = table->set.panel;
    for (const std::size_t rows : {1u, 2u, 7u, 8u, 15u, 16u, 24u, 31u, 32u, 33u, 50u, 64u})
      for (const std::size_t columns : {1u, 3u, 16u, 17u, 31u, 32u, 33u, 48u, 49u, 70u}) {
        CAPTURE(table->set.name, rows, columns);
        const std::size_t row = columns + rows % 3;
        const auto b = random_floats(rows * row, random);
        const auto room = [&](std::size_t across, std::size_t depth) {
          return std::vector<unsigned char>(
              (across + panel - 1) / panel * fovea::core::panel_bytes(bfloats, panel, depth) + 8, 77);
        };
        std::vector<unsigned char> of_rows = room(rows, columns), of_columns = room(columns, rows);
        const bfloat_pack_args args{b.data(), rows, columns, row, of_rows.data(), of_columns.data()};
        // Task by task, the last first: tasks do not depend on each other.
        for (std::size_t task = table->pack_bfloats->tasks(args); task-- > 0;)
          table->pack_bfloats->run(args, task, task + 1);
        CHECK(holds(of_rows, panel, rows, columns, [&](auto r, auto c) { return b[r * row + c]; }));
        CHECK(holds(of_columns, panel, columns, rows, [&](auto c, auto r) { return b[r * row + c]; }));
        for (const auto* made : {&of_rows, &of_columns})
          CHECK(std::all_of(made->end() - 8, made->end(), [](unsigned char x) { return x == 77; }));
      }
  }
}

TEST_CASE("values are rounded to bfloat16, of two to the even one", "[plain]") {
  std::mt19937 random(4);
  for (const auto* table : kernel_sets())
    for (const std::size_t columns : {1u, 5u, 16u, 33u}) {
      CAPTURE(table->set.name, columns);
      auto x = random_floats(3 * columns, random);
      x[0] = std::bit_cast<float>(0x3f808000u), x[2] = std::bit_cast<float>(0x3f818000u);
      x[1] = -std::numeric_limits<float>::infinity();
      std::vector<float> out(3 * columns, 9.f);
      const bfloat_round_args args{x.data(), out.data(), 3, columns, columns, columns};
      table->round_bfloats->run(args, 0, table->round_bfloats->tasks(args));
      for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(out[i] == (i == 1 ? x[1] : fovea::core::from_bfloat(fovea::core::to_bfloat(x[i]))));
      x[1] = std::bit_cast<float>(0x7fffffffu);
      table->round_bfloats->run(args, 0, 3);
      CHECK(out[1] != out[1]);
    }
}
