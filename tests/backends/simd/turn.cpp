#include "kernel_sets.hpp"
#include <catch2/catch.hpp>

using namespace fovea::core::simd;

TEST_CASE("turning exchanges rows and columns, whatever the tasks") {
  std::mt19937 random(5);
  for (const auto* table : kernel_sets())
    for (const std::size_t rows : {1u, 2u, 7u, 16u, 17u, 33u})
      for (std::size_t columns = 1; columns <= 2 * table->set.panel + 1; columns += 3) {
        CAPTURE(table->set.name, rows, columns);
        const std::size_t x_row = columns + 2, out_row = rows + 1;
        const auto x = random_floats(rows * x_row, random);
        std::vector<float> out(columns * out_row, 99.f);
        const turn_args args{x.data(), out.data(), rows, columns, x_row, out_row};
        for (std::size_t task = table->turn->tasks(args); task-- > 0;) table->turn->run(args, task, task + 1);
        bool right = true;
        for (std::size_t j = 0; j < columns; ++j)
          for (std::size_t i = 0; i < out_row; ++i)
            right &= out[j * out_row + i] == (i < rows ? x[i * x_row + j] : 99.f);
        CHECK(right);
      }
}
